"""The code for single APIs or families of APIs, with a folder for each."""
