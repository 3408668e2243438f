import type { Command } from '@commander-js/extra-typings'
import { Option } from '../shared/commander.ts'
import type { KnowledgeCommands } from '../../builtins/knowledge/knowledge-commands.ts'
import type { JobProgress, JobResult } from '../../builtins/knowledge/ingest/run-job.ts'
import { noteOnServing } from '../shared/note-on-serving.ts'
import { type ProgressBar, createProgressBar } from '../shared/terminal/progress-bar.ts'
import { numberBetween } from '../shared/terminal/option-values.ts'
import { count } from '../shared/terminal/terminal.ts'

const TYPES = ['standard', 'handbook', 'guide', 'specification', 'report', 'policy', 'custom']
const WATCH_EVERY_MS = 2000
const MAX_SKIPPED = 20

/** Registers `portolan ingest <path|url>…`, which adds documents to the knowledge base. */
export function registerIngest(program: Command): void {
  program
    .command('ingest')
    .description('add files, folders, git repositories or web pages to the knowledge base')
    .argument('<targets...>', 'paths, URLs or https://….git')
    .option('-c, --collection <name>', 'collection to add them to', 'knowledge')
    .addOption(
      new Option('--type <type>', 'type of the documents; by default detected').choices(TYPES),
    )
    .addOption(
      new Option('--tier <tier>', 'authority of the documents, which ranks them')
        .choices(['tier1', 'tier2', 'tier3'])
        .default('tier3'),
    )
    .option('--depth <n>', 'how many links deep to follow web pages', numberBetween(0, 5), 0)
    .option('--include <glob...>', 'only paths that match', [])
    .option('--exclude <glob...>', 'leave out paths that match', [])
    .option('-w, --watch', 'keep running, and ingest changes')
    .option('--json', 'print the outcome of each document as JSON')
    .action(async (targets, { type, tier, watch: isWatched, json = false, ...given }) => {
      const { openKnowledge } = await import('../shared/open-knowledge.ts')
      const knowledge = await openKnowledge()
      const what = { ...given, documentType: type, authorityTier: tier }
      const ingest = async () => ingestOnce(knowledge, targets, { what, isJson: json })
      try {
        process.exitCode = await ingest()
        const note = await noteOnServing('knowledge')
        if (note !== undefined) process.stderr.write(`${note}\n`)
        if (isWatched) await watch(targets, ingest)
      } finally {
        await knowledge.close()
      }
    })
}

async function ingestOnce(
  knowledge: KnowledgeCommands,
  targets: readonly string[],
  { what, isJson }: { what: Parameters<KnowledgeCommands['ingest']>[1]; isJson: boolean },
): Promise<number> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop)
  const bar = createProgressBar('Ingesting')
  const result = await knowledge
    .ingest(targets, what, {
      onProgress: (progress) => show(bar, progress),
      signal: stopped.signal,
    })
    .finally(() => {
      process.off('SIGINT', stop)
      bar.end()
    })
  const failed = printResult(result, isJson)
  if (!stopped.signal.aborted) return failed > 0 ? 1 : 0
  process.stderr.write('Stopped; run the same command again to continue from here.\n')
  return 130
}

/** Returns how many documents failed. */
function printResult({ outcomes, skipped, removed }: JobResult, isJson: boolean): number {
  for (const { location, status, title, chunks, words, error } of outcomes) {
    const failure = error && { error: error.message, suggestion: error.suggestion }
    if (isJson) printLine({ location, status, title, chunks, words, ...failure })
    else if (status !== 'unchanged')
      process.stderr.write(`${status.padEnd(9)} ${location} ${describeOutcome(chunks, error)}\n`)
  }
  for (const { location, title } of removed) {
    if (isJson) printLine({ location, status: 'removed', title })
    else process.stderr.write(`removed   ${location} its file is gone\n`)
  }
  for (const { location, reason } of skipped.slice(0, MAX_SKIPPED))
    process.stderr.write(`skipped   ${location}: ${reason}\n`)
  const failed = outcomes.filter(({ status }) => status === 'failed').length
  const gone = removed.length > 0 ? `, ${removed.length} removed` : ''
  const left = skipped.length > 0 ? `, ${count(skipped.length, 'file')} skipped` : ''
  process.stderr.write(`${count(outcomes.length, 'document')}, ${failed} failed${gone}${left}\n`)
  return failed
}

function printLine(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

function describeOutcome(
  chunks: number,
  error: { message: string; suggestion: string } | undefined,
): string {
  return error ? `${error.message}. ${error.suggestion}` : count(chunks, 'passage')
}

/** Counts the pages of the document that is being read as a share of it. */
function show(bar: ProgressBar, { done, total, current, pages }: JobProgress): void {
  const page = pages ? ` page ${pages.read}/${pages.total}` : ''
  const share = pages ? pages.read / pages.total : 0
  bar.update(done + share, total, [current.slice(-40) + page])
}

/** Ingests again after changes, checked every two seconds; unchanged files are not stored again. */
async function watch(targets: readonly string[], ingest: () => Promise<number>): Promise<void> {
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort())
  process.once('SIGTERM', () => stopped.abort())
  process.stderr.write('Watching; stop with Ctrl-C\n')
  const { setTimeout: sleep } = await import('node:timers/promises')
  const { changesIn } = await import('./changes-in.ts')
  const changed = changesIn(targets)
  await changed()
  while (!stopped.signal.aborted) {
    await sleep(WATCH_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
    if (!stopped.signal.aborted && (await changed())) await ingest()
  }
}
