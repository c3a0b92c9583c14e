// Drive a gateway with one client of npm, as drive.py does with those of Python: node drive.mjs CLIENT ADDRESS FOLDER
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [client, address, folder] = process.argv.slice(2);
const require = createRequire(folder + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
globalThis.AI_SDK_LOG_WARNINGS = false;

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const hello = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello?" }];
const parameters = { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] };

const clients = {
  async openai() {
    const { default: OpenAI } = await load("openai");
    const chat = new OpenAI({ baseURL: address, apiKey: "none", maxRetries: 0 }).chat.completions;
    const message = async (streaming, body) => {
      const sent = { model: "any", messages: hello, ...body };
      const completion = streaming ? await chat.stream(sent).finalChatCompletion() : await chat.create(sent);
      return completion.choices[0].message;
    };
    const tool = { type: "function", function: { name: "tide", description: "The tide.", parameters } };
    const schema = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"], additionalProperties: false };
    const image = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
    ];
    return {
      text: async (streaming) => (await message(streaming, { temperature: 1 })).content,
      async tools(streaming) {
        const messages = [...hello];
        for (;;) {
          const said = await message(streaming, { messages, tools: [tool] });
          if (!said.tool_calls?.length) return said.content;
          messages.push(said);
          for (const call of said.tool_calls) {
            const { harbour } = JSON.parse(call.function.arguments);
            messages.push({ role: "tool", tool_call_id: call.id, content: `low in ${harbour}` });
          }
        }
      },
      async typed(streaming) {
        const json_schema = { name: "sky", strict: true, schema };
        return JSON.parse((await message(streaming, { response_format: { type: "json_schema", json_schema } })).content).sky;
      },
      image: async (streaming) => (await message(streaming, { messages: [{ role: "user", content: image }] })).content,
      refused: async (streaming) => (await message(streaming, { logit_bias: { 1: 5 } })).content,
    };
  },

  async "ai-sdk-compatible"() {
    const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
    const made = createOpenAICompatible({ name: "gateway", baseURL: address, supportsStructuredOutputs: true });
    return sdk(made("any"), { gateway: { logit_bias: { 1: 5 } } });
  },

  async "ai-sdk"() {
    const { createOpenAI } = await load("@ai-sdk/openai");
    const made = createOpenAI({ baseURL: address, apiKey: "none" });
    return sdk(made.chat("any"), { openai: { logitBias: { 1: 5 } } });
  },
};

async function sdk(model, refusedOptions) {
  const { generateText, streamText, tool, stepCountIs, Output } = await load("ai");
  const { z } = await load("zod");
  const run = async (streaming, options) => {
    let failure;
    const sent = { model, maxRetries: 0, system: "Be brief.", ...(options.messages ? {} : { prompt: "Hello?" }), ...options };
    if (!streaming) return generateText(sent);
    const result = streamText({ ...sent, onError: ({ error }) => (failure = error) });
    await result.consumeStream();
    if (failure) throw failure;
    return result;
  };
  const tide = tool({
    description: "The tide.",
    inputSchema: z.object({ harbour: z.string() }),
    execute: async ({ harbour }) => `low in ${harbour}`,
  });
  const image = [
    { type: "text", text: "What is this?" },
    { type: "image", image: pixel, mediaType: "image/png" },
  ];
  const schema = z.object({ sky: z.string().describe("What it looks like.") });
  return {
    text: async (streaming) => (await run(streaming, {})).text,
    tools: async (streaming) => (await run(streaming, { tools: { tide }, stopWhen: stepCountIs(4) })).text,
    async typed(streaming) {
      const result = await run(streaming, { output: Output.object({ schema }) });
      return (await result.output).sky;
    },
    image: async (streaming) => (await run(streaming, { messages: [{ role: "user", content: image }] })).text,
    refused: async (streaming) => (await run(streaming, { providerOptions: refusedOptions })).text,
  };
}

const tasks = await clients[client]();
for (const [task, run] of Object.entries(tasks)) {
  for (const streaming of [false, true]) {
    const line = { task, streaming };
    try {
      line.answer = await run(streaming);
    } catch (error) {
      line.error = `${error?.name}: ${error?.message}`;
    }
    console.log("RESULT " + JSON.stringify(line));
  }
}
