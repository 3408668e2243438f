import { readFoundFile } from '../../base/files/read-found-file.ts'
import { type LoadOptions, loadParts } from '../../config/load.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { describeContent } from './describe-file.ts'
import { recordTrust } from '../shared/files/record-trust.ts'

/**
 * Asks once about files of the working folder that nobody has decided about. If nobody can be
 * asked, they stay untrusted, and the log says what to run.
 */
export async function askForTrust(load: LoadOptions): Promise<void> {
  const terminal = createTerminal()
  if (!terminal.canAsk) return
  const { cwd = process.cwd(), env = process.env } = load
  const undecided = Object.values(loadParts(load))
    .flatMap((part) => part.leftOut)
    .filter(({ verdict }) => verdict !== 'declined')
    .flatMap((file) => {
      const text = readFoundFile(file.path)
      return text === undefined ? [] : [{ ...file, text }]
    })
  if (undecided.length === 0) return
  say('This folder has configuration that you have not trusted yet:')
  for (const { kind, path, text } of undecided) {
    say(`\n  ${path}`)
    for (const line of describeContent(kind, text)) say(`    ${line}`)
  }
  const yes = await terminal.confirm('\nTrust these files, with exactly this content?', false)
  recordTrust({ cwd, env }, undecided, yes ? 'trusted' : 'declined')
}

/** Writes to stderr, as a program may read stdout. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
