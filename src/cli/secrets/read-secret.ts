import { text } from 'node:stream/consumers'
import { GatewayError } from '../../gateway/errors.ts'

/** Reads a secret without echo or from a pipe; not from the command line, which shells record. */
export async function readSecret(name: string): Promise<string> {
  const { stdin } = process
  const value = (stdin.isTTY ? await askWithoutEcho(`${name}: `) : await text(stdin)).trim()
  if (value !== '') return value
  throw new GatewayError('INVALID_PARAMS', 'No value was given', {
    hint: `Type it, or pipe it in: printf %s "$VALUE" | portolan secrets set ${name}`,
  })
}

const ENTER = new Set(['\r', '\n', '\u0004'])
const INTERRUPT = '\u0003'
const BACKSPACE = new Set(['\u007F', '\b'])

async function askWithoutEcho(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let typed = ''
  try {
    for await (const chunk of stdin)
      for (const key of String(chunk)) {
        if (key === INTERRUPT) process.exit(130)
        if (ENTER.has(key)) return typed
        typed = BACKSPACE.has(key) ? typed.slice(0, -1) : typed + key
      }
    return typed
  } finally {
    stdin.setRawMode(false)
    stderr.write('\n')
  }
}
