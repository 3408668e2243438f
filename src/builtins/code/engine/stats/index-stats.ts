import { groupBy } from '../../../../base/maps.ts'
import { countCommits } from '../../project/count-commits.ts'
import { isCommitId, originOf, readGit } from '../../../../base/git/read-git.ts'
import type { CodeLibrary } from '../index/code-library.ts'
import type { FileRecord } from '../index/file-record.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { grammarFailures, grammarStats, parseFailures, parseStats, sum } from './parse-stats.ts'

const DAY_MS = 86_400_000
const STALE_DAYS = 7
const TOP = 10

/** Returns all statistics of an index, with the field names of the tool contract. */
export async function indexStats(
  library: CodeLibrary,
  live: LiveIndex,
  includeFailures: boolean,
): Promise<Record<string, unknown>> {
  const { index } = live
  const { name, root, createdAt, updatedAt, branch, commit, elapsedSeconds } = index.identity
  const records = [...index.files.values()]
  const bytes = library.store.bytes(name)
  const days = Math.floor((Date.now() - Date.parse(updatedAt)) / DAY_MS)
  return {
    name,
    file_count: records.length,
    chunk_count: index.lexical.chunkCount,
    storage_size: bytes,
    storage_size_pretty: pretty(bytes),
    created_at: createdAt,
    updated_at: updatedAt,
    is_stale: days >= STALE_DAYS,
    staleness_days: days,
    languages: languagesOf(records),
    symbols: countSymbols(records),
    parse_stats: parseStats(index.files),
    source_path: root,
    status: library.isBuilding(name) ? 'indexing' : 'indexed',
    indexing_elapsed_seconds: Math.round(elapsedSeconds * 1_000) / 1_000,
    branch,
    commit_hash: commit,
    ...(await gitFacts(live)),
    grammars: grammarStats(index.files),
    dep_stats: depStats(index.graph.edges),
    excluded: {
      total: index.excluded.count,
      by_reason: index.excluded.reasons,
      files: index.excluded.list.slice(0, includeFailures ? undefined : TOP),
    },
    ...(includeFailures && {
      parse_failures: parseFailures(index.files),
      grammar_failures: grammarFailures(index.files),
    }),
  }
}

function languagesOf(records: readonly FileRecord[]): Record<string, unknown>[] {
  const groups = groupBy(records, ({ languageId }) => languageId)
  return [...groups]
    .map(([language, members]) => ({
      language,
      file_count: members.length,
      chunk_count: sum(members, ({ ranges }) => ranges.length / 2),
      line_count: sum(members, ({ lines }) => lines),
    }))
    .toSorted((a, b) => b.file_count - a.file_count)
}

function countSymbols(records: readonly FileRecord[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { symbols } of records)
    for (const { type } of symbols) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

function depStats(edges: LiveIndex['index']['graph']['edges']): Record<string, unknown> {
  const top = (of: (edge: (typeof edges)[number]) => string | null): Record<string, unknown>[] =>
    [...groupBy(edges, (edge) => of(edge) ?? '')]
      .filter(([file]) => file !== '')
      .map(([file, members]) => ({ file, count: members.length }))
      .toSorted((a, b) => b.count - a.count)
      .slice(0, TOP)
  const types = [...groupBy(edges, ({ type }) => type)].map(([type, members]) => [
    type,
    members.length,
  ])
  return {
    total_edges: edges.length,
    by_type: Object.fromEntries(types),
    top_sources: top(({ source }) => source),
    top_targets: top(({ target }) => target),
  }
}

async function gitFacts({ index }: LiveIndex): Promise<Record<string, unknown>> {
  const { commit } = index.identity
  const git = index.project.git && readGit(index.project.git.root)
  if (!git || commit === null || !isCommitId(commit))
    return { repo_url: null, commits_behind: null, branch_commit_count: null }
  const { all, behind } = await countCommits(git, commit)
  return {
    // A remote may carry a token in front of its host; it must not be shown.
    repo_url: originOf(git)?.replace(/\/\/[^/]*@/, '//') ?? null,
    commits_behind: behind,
    branch_commit_count: all,
  }
}

function pretty(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  const power = Math.min(
    units.length - 1,
    Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)),
  )
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? 'B'}`
}
