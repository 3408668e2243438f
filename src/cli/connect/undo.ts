import { messageOf } from '../../base/errors.ts'
import { journalOf, takeOuts } from './connect-client.ts'
import type { Machine } from '../clients/machine.ts'
import type { Undone } from '../clients/journal.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'

export interface UndoneFile {
  readonly file: string
  readonly outcome: Undone | 'not connected' | 'failed'
  /** The copy of the original file, if the file was not restored as a whole. */
  readonly backup: string | undefined
  readonly error?: string
}

/** Restores every file that Portolan changed: those of the clients, and the user's servers file. */
export async function undoAdopt(machine: Machine): Promise<UndoneFile[]> {
  const journal = journalOf(machine)
  const others = takeOuts(machine)
  const done: UndoneFile[] = []
  for (const file of journal.files()) {
    const backup = journal.backupOf(file)
    try {
      const outcome = await journal.undo(file, others.get(file))
      done.push({ file, outcome, backup: outcome === 'edited' ? backup : undefined })
    } catch (error) {
      done.push({ file, outcome: 'failed', backup, error: messageOf(error) })
    }
  }
  return done
}

export function renderUndone(done: readonly UndoneFile[], { line, paint }: Terminal): void {
  if (done.length === 0) line('Nothing to undo: Portolan has changed no files here.')
  for (const one of done) {
    const isWhole = one.outcome === 'restored' || one.outcome === 'removed'
    line(`${isWhole ? paint('green', '✓') : paint('yellow', '⚠')} ${SENTENCES[one.outcome](one)}`)
  }
}

const SENTENCES: Record<UndoneFile['outcome'], (one: UndoneFile) => string> = {
  restored: ({ file }) => `${file} is as it was before`,
  removed: ({ file }) => `${file} is gone: it did not exist before`,
  edited: ({ file, backup }) =>
    `${file} has been edited since: Portolan's changes are undone, the other edits stay.${copyAt(backup)}`,
  'not connected': ({ file }) => `Nothing to undo: Portolan is not in ${file}`,
  failed: ({ file, backup, error }) => `${file} could not be restored: ${error}.${copyAt(backup)}`,
}

function copyAt(backup: string | undefined): string {
  return backup === undefined ? '' : ` The file as it was before Portolan: ${backup}`
}
