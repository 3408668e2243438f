import { z } from 'zod'
import { createService } from '../../../src/builtins/kit/create-service.ts'
import { defineBuiltin } from '../../../src/builtins/kit/define-builtin.ts'
import { defineTool } from '../../../src/builtins/kit/define-tool.ts'

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
  open: async ({ options }) =>
    createService({
      name: 'toy',
      version: '1.0.0',
      tools: [greet],
      deps: { greeting: options['greeting'] === 'Welcome' ? 'Welcome' : 'Hello' },
    }),
  standalone: { port: 'TOY_PORT' },
  commands: async () => (command) => {
    command
      .command('greet')
      .argument('<name>')
      .action((name: string) => void process.stdout.write(`Hello ${name}\n`))
  },
})
