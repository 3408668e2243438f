import { readFoundFile } from '../../base/files/read-found-file.ts'
import { type LoadOptions, loadParts } from '../../config/load.ts'
import type { Workspace } from '../../config/paths.ts'
import { readTrust, verdictOn } from '../../config/trust/trust-list.ts'
import { type FolderPack, readFolderPacks } from '../../upstreams/openapi/load/folder-packs.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { describeContent } from '../../config/trust/describe-content.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { recordTrust } from '../../config/trust/record-trust.ts'
import { toDecision } from './run-trust.ts'

/**
 * Asks once about files of the working folder that nobody has decided about. If nobody can be
 * asked, they stay untrusted, and the log says what to run.
 */
export async function askForTrust(load: LoadOptions): Promise<void> {
  const terminal = createTerminal()
  if (!terminal.canAsk) return
  const { cwd = process.cwd(), env = process.env } = load
  const files = Object.values(loadParts(load))
    .flatMap((part) => part.leftOut)
    .filter(({ verdict }) => verdict !== 'declined')
    .flatMap((file) => {
      const text = readFoundFile(file.path)
      return text === undefined ? [] : [{ ...file, text, shown: text }]
    })
  const undecided = [...files, ...(await undecidedPacks({ cwd, env }))]
  if (undecided.length === 0) return
  say('This folder has configuration that you have not trusted yet:')
  for (const { kind, path, shown } of undecided) {
    say(`\n  ${path}`)
    for (const line of describeContent(kind, shown)) say(`    ${line}`)
  }
  const yes = await terminal.confirm('\nTrust these files, with exactly this content?', false)
  const decision = yes ? 'trusted' : 'declined'
  await changeFiles({ cwd, env }, { reason: `${decision} when asked` }, () =>
    recordTrust({ cwd, env }, undecided, decision),
  )
}

/** A pack that cannot be read fails only where it is used. */
async function undecidedPacks(place: Workspace) {
  const [packs, entries] = [
    await readFolderPacks(place.cwd).catch(() => []),
    readTrust(place).files,
  ]
  const isUndecided = ({ path, text }: FolderPack) =>
    ['unknown', 'changed'].includes(verdictOn(path, text, entries))
  return packs.filter(isUndecided).map(toDecision)
}

/** Writes to stderr, as a program may read stdout. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
