import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { PNG } from '../conformance/media.ts'

const contextSchema = z.object({ context: z.string() })

function user(text: string) {
  return { role: 'user' as const, content: { type: 'text' as const, text } }
}

export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Takes nothing' }, async () => ({
    messages: [user('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Takes two arguments',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) =>
          ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
        ),
        arg2: z.string(),
      }),
    },
    async ({ arg1, arg2 }) => ({
      messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri: uri }) => {
      const resource = {
        uri,
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      }
      return {
        messages: [
          { role: 'user', content: { type: 'resource', resource } },
          user('Please process the embedded resource above.'),
        ],
      }
    },
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Shows an image' }, async () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }))
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Needs an answer of the user' },
    async (context: ServerContext) => {
      const answer = acceptedContent(context.mcpReq.inputResponses, 'user_context', contextSchema)
      if (answer) return { messages: [user(`Use this context: ${answer.context}`)] }
      const message = 'What context should the prompt use?'
      const user_context = inputRequired.elicit({ message, requestedSchema: contextSchema })
      return inputRequired({ inputRequests: { user_context } })
    },
  )
}
