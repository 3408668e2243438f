import { messageOf } from '../../base/errors.ts'
import { journalOf, takeOuts, undoFile } from './connect-client.ts'
import type { Machine } from '../clients/machine.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import type { Undone } from '../clients/journal.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'

export interface UndoneFile {
  readonly file: string
  readonly outcome: Undone | 'not connected' | 'failed'
  /** Whether the original file is kept, as it was not restored as a whole. */
  readonly hasOriginal?: boolean
  readonly error?: string
}

/** Restores every file that Portolan changed: those of the clients, and the user's servers file. */
export async function undoAdopt(machine: Machine): Promise<UndoneFile[]> {
  const journal = journalOf(machine)
  const others = takeOuts(machine)
  const done: UndoneFile[] = []
  for (const file of journal.files()) {
    try {
      done.push(await undoFile(journal, file, others.get(file)))
    } catch (error) {
      const hasOriginal = journal.hasOriginal(file)
      done.push({ file, outcome: 'failed', hasOriginal, error: messageOf(error) })
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
  edited: ({ file, hasOriginal }) =>
    `${file} has been edited since: Portolan's changes are undone, the other edits stay.${originalOf(file, hasOriginal)}`,
  'not connected': ({ file }) => `Nothing to undo: Portolan is not in ${file}`,
  failed: ({ file, hasOriginal, error }) =>
    `${file} could not be restored: ${error}.${originalOf(file, hasOriginal)}`,
}

function originalOf(file: string, isKept = false): string {
  return isKept
    ? ` To see the file as it was before Portolan: portolan adopt --original ${shellWord(file)}`
    : ''
}
