import { setTimeout as sleep } from 'node:timers/promises'
import { PNG, WAV } from './media.ts'
import { text, type Tool } from './session.ts'

/** Tools that answer without the client: one for every kind of content and notification. */
export const contentTools: Readonly<Record<string, Tool>> = {
  test_simple_text: {
    description: 'Answers with one text block',
    run: () => text('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'Answers with an image',
    run: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  },
  test_audio_content: {
    description: 'Answers with a sound',
    run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Answers with an embedded resource',
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: 'Answers with text, an image and a resource',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    description: 'Sends three log messages while it runs',
    run: async (_, { log }) => {
      await log('Tool execution started')
      await sleep(50)
      await log('Tool processing data')
      await sleep(50)
      await log('Tool execution completed')
      return text('Logged three messages')
    },
  },
  test_logging_tool: {
    description: 'Logs, where the caller asked for log messages',
    run: async (_, { log }) => {
      await log('test_logging_tool was called')
      return text('Logged, if that was wanted')
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress in three steps',
    run: async (_, { notify, progressToken }) => {
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await notify('notifications/progress', { progressToken, progress, total: 100 })
        await sleep(50)
      }
      return text('Reported progress')
    },
  },
  test_x_mcp_header: {
    description: 'Wants its region repeated in a header',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    },
    run: ({ region }) => text(`region: ${String(region)}`),
  },
  test_error_handling: {
    description: 'Always fails',
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
}
