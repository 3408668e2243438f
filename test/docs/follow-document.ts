import { type Step, parseDocument } from './document.ts'
import { matches } from './matches.ts'
import { createReader } from './reader.ts'

type Command = Step & { readonly kind: 'command' }

export interface Followed {
  /** Commands that did not do what the document says. */
  readonly wrong: readonly { readonly command: string; says: string; prints: string }[]
  /** The document with what its commands really print. */
  readonly corrected: string
}

/** Does everything a document tells its reader to do, in an empty folder. */
export async function followDocument(
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Followed> {
  const reader = createReader(env)
  const real: { step: Command; lines: readonly string[] }[] = []
  const wrong: Followed['wrong'][number][] = []
  try {
    for (const step of parseDocument(text).steps) {
      if (step.kind === 'file') {
        reader.write(step.path, step.content)
        continue
      }
      const { command, expected } = step
      const { lines, exitCode } = await reader.type(command, (seen) => matches(expected, seen))
      // Without a word about what it prints, a command is there to work.
      if (expected.length === 0 ? exitCode === 0 : matches(expected, lines)) continue
      wrong.push({ command, says: expected.join('\n'), prints: lines.join('\n') })
      if (expected.length > 0) real.push({ step, lines })
    }
  } finally {
    await reader.leave()
  }
  const lines = text.split('\n')
  for (const { step, lines: printed } of real.toReversed())
    lines.splice(step.at, step.expected.length, ...printed)
  return { wrong, corrected: lines.join('\n') }
}
