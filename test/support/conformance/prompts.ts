import type { JsonObject } from '../../../src/base/json/json.ts'
import { askFor, form, hasAnswer } from './input-required.ts'
import { PNG } from './media.ts'
import type { Session } from './session.ts'

interface Prompt {
  readonly description: string
  readonly arguments?: readonly string[]
  readonly get: (args: JsonObject, session: Session) => JsonObject
}

export function says(...contents: (string | JsonObject)[]): JsonObject {
  return {
    messages: contents.map((content) => ({
      role: 'user',
      content: typeof content === 'string' ? { type: 'text', text: content } : content,
    })),
  }
}

export const prompts: Record<string, Prompt> = {
  test_simple_prompt: {
    description: 'A prompt without arguments',
    get: () => says('This is a simple prompt for testing.'),
  },
  test_prompt_with_arguments: {
    description: 'A prompt with two arguments',
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) =>
      says(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
  },
  test_prompt_with_embedded_resource: {
    description: 'A prompt that embeds a resource',
    arguments: ['resourceUri'],
    get: ({ resourceUri }) =>
      says(
        {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        'Please process the embedded resource above.',
      ),
  },
  test_prompt_with_image: {
    description: 'A prompt with an image',
    get: () =>
      says({ type: 'image', data: PNG, mimeType: 'image/png' }, 'Please analyze the image above.'),
  },
  test_input_required_result_prompt: {
    description: 'A prompt that needs an answer of the user',
    get: (_, { inputResponses }) =>
      hasAnswer(inputResponses, 'user_context')
        ? says(JSON.stringify(inputResponses?.['user_context']))
        : askFor({
            user_context: form('What context should the prompt use?', {
              context: { type: 'string' },
            }),
          }),
  },
}
