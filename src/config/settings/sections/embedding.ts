import { z } from 'zod'
import { count, section } from '../section.ts'

/** The embedding model, the same for find_tools and all built-ins. */
export const embedding = section(
  'What turns texts into vectors, for every search: tools, code, documents, traces. Words are searched with or without.',
  {
    provider: z
      .enum(['builtin', 'openai', 'openrouter', 'ollama', 'onnx', 'none'])
      .optional()
      .describe(
        '`builtin` is the model in the package; `openai` is OpenAI or whatever speaks its protocol at `baseUrl`; `onnx` is a model in `folder`; `none` searches by words alone. By default `openai` if `model` is set, else `builtin`.',
      ),
    model: z
      .string()
      .optional()
      .describe(
        'Model to use, such as one that knows your language better; by default that of the provider.',
      ),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Address of the provider, for one of your own, such as http://localhost:11434/v1.'),
    apiKey: z
      .string()
      .optional()
      .describe('Key of the provider. OPENAI_API_KEY is used for OpenAI itself, and only there.'),
    dimensions: count
      .optional()
      .describe(
        'Length of the vectors, for models that can shorten theirs, to need less memory and disk.',
      ),
    folder: z
      .string()
      .optional()
      .describe(
        'For `onnx`, a model that runs here without a service: the folder with config.json, tokenizer.json and onnx/model.onnx.',
      ),
    queryPrefix: z
      .string()
      .optional()
      .describe(
        'Text put before queries, if the description of your model asks for one. Known models (nomic-embed-text, e5) have theirs.',
      ),
    documentPrefix: z
      .string()
      .optional()
      .describe('Text put before documents, if the description of your model asks for one.'),
    cacheEnabled: z
      .boolean()
      .default(true)
      .describe(
        'Whether vectors of models other than `builtin` are cached on disk. Turn it off if texts must leave no trace there.',
      ),
    cacheDir: z
      .string()
      .optional()
      .describe(
        'Folder for them; by default `embeddings` in the data folder. Set it to share them between installations.',
      ),
  },
)
