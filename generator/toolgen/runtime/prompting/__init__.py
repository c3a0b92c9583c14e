"""Tools for models that know none: the tools as text, calls out of the model's text, results as text.

No module here knows a provider's, and sessions use them as they are: `tools` puts tools into a system text, `reading` finds
calls in what the model wrote, `following` does so as it comes, `writing` and `outcomes` put calls and results into text.
Each text that is written here is read back as what it says, and text that is not ours is left as text.
"""
