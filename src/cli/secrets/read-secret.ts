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

/** Asks on the terminal, without showing what is typed. */
export async function askWithoutEcho(question: string): Promise<string> {
  const { stdin, stderr } = process
  await settled()
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let typed = ''
  try {
    return await new Promise<string>((resolve) => {
      const onData = (chunk: string) => {
        for (const key of chunk) {
          if (key === INTERRUPT) process.exit(130)
          if (ENTER.has(key)) {
            stdin.off('data', onData)
            return resolve(typed)
          }
          typed = BACKSPACE.has(key) ? typed.slice(0, -1) : typed + key
        }
      }
      // An iterator would close stdin, which the next question reads too.
      stdin.on('data', onData).resume()
    })
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
    await settled()
  }
}

/** The terminal stops reading a moment after `pause`, whatever has resumed it by then. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
