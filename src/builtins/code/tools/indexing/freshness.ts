import { readGit } from '../../../../base/git/read-git.ts'
import type { CodeNote } from '../../answers.ts'
import type { CodeDeps } from '../code-deps.ts'
import type { LiveIndex } from '../../engine/index/live-index.ts'
import type { FoundIndex } from './find-index.ts'

const DAY_MS = 86_400_000
const STALE_DAYS = 7

/** Updates the index within the time limit; returns what the reader should know if that failed. */
export async function freshen(deps: CodeDeps, { live, name }: FoundIndex): Promise<CodeNote[]> {
  if (live.index.isPartial) return [buildingNote(live)]
  const isFresh = await live.freshen(deps.freshnessBudgetMs)
  const problem = live.saveProblem
  return [
    ...(isFresh ? [] : staleWarnings({ live, name })),
    ...(problem === undefined
      ? []
      : [{ type: 'index_not_saved', warning: 'Index not saved', message: problem }]),
  ]
}

/** The note that goes with every answer from a partially built index. */
function buildingNote({ index }: LiveIndex): CodeNote {
  return {
    type: 'index_building',
    warning: 'Index is still being built',
    message: `${index.project.root} is being indexed for the first time: ${index.files.size} files so far, and this answer knows only those. Ask again in a while for the whole project.`,
    files_indexed: index.files.size,
  }
}

function staleWarnings({ live }: Pick<FoundIndex, 'live' | 'name'>): CodeNote[] {
  const { branch, commit, updatedAt, root } = live.index.identity
  const git = live.index.project.git && readGit(live.index.project.git.root)
  const days = Math.floor((Date.now() - Date.parse(updatedAt)) / DAY_MS)
  const warnings: CodeNote[] = []
  if (git && (git.branch !== branch || git.commit !== commit)) {
    warnings.push({
      type: 'branch_staleness_warning',
      warning: 'Index built from different branch',
      message: `Index built from '${branch ?? 'detached'}' (${short(commit)}), current branch is '${git.branch ?? 'detached'}' (${short(git.commit)}). Results may be stale. Run \`portolan code index ${root}\` to update.`,
      indexed_branch: branch,
      current_branch: git.branch,
    })
  }
  warnings.push({
    type: 'staleness_warning',
    warning: 'Index may be stale',
    message:
      days >= STALE_DAYS
        ? `Index last updated ${days} days ago. Run \`portolan code index ${root}\` to update.`
        : 'The working tree is still being compared with the index; files changed in the last moments may be missing. Ask again for a fresh answer.',
    staleness_days: days,
  })
  return warnings
}

const short = (commit: string | null): string => commit?.slice(0, 7) ?? 'none'
