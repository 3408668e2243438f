import { z } from 'zod'
import { type SettingTable, readSettings } from '../../../src/base/setting-table.ts'
import { createService } from '../../../src/builtins/kit/create-service.ts'
import { defineBuiltin } from '../../../src/builtins/kit/define-builtin.ts'
import { defineTool } from '../../../src/builtins/kit/define-tool.ts'

const SETTINGS = {
  greeting: { type: 'string', text: 'The word that it greets with.' },
} as const satisfies SettingTable

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody',
  input: z.object({ name: z.string() }),
  run: async ({ name }, { greeting }: { readonly greeting: string }) => `${greeting} ${name}`,
})

/** A built-in in one file. */
export const toy = defineBuiltin({
  name: 'toy',
  title: 'A server for tests.',
  description: 'Greets whoever asks',
  defaults: { greeting: 'Hello' },
  settings: SETTINGS,
  open: async ({ options, env }) =>
    createService({
      name: 'toy',
      version: '1.0.0',
      tools: [greet],
      deps: {
        greeting:
          readSettings(SETTINGS, 'toy', env).greeting ??
          (options['greeting'] === 'Welcome' ? 'Welcome' : 'Hello'),
      },
    }),
  standalone: { port: 'TOY_PORT' },
  commands: async () => (command) => {
    command
      .command('greet')
      .argument('<name>')
      .action((name: string) => void process.stdout.write(`Hello ${name}\n`))
  },
})
