import type { Command } from '@commander-js/extra-typings'
import { Option } from '../shared/commander.ts'
import type { KnowledgeCommands } from '../../builtins/knowledge/knowledge-commands.ts'
import type { JobProgress, JobResult } from '../../builtins/knowledge/ingest/run-job.ts'
import { visible } from '../../base/text/visible.ts'
import { noteOnServing } from '../shared/note-on-serving.ts'
import { drawingOn } from '../shared/terminal/guard-terminal.ts'
import { numberBetween } from '../shared/terminal/option-values.ts'
import { count } from '../shared/terminal/terminal.ts'

interface IngestFlags {
  readonly collection: string
  readonly type?: string
  readonly tier: string
  readonly depth: number
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly watch?: boolean
  readonly json?: boolean
}

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
    .action(async (targets: string[], flags: IngestFlags) => {
      const { openKnowledge } = await import('../shared/open-knowledge.ts')
      const knowledge = await openKnowledge()
      try {
        process.exitCode = await ingestOnce(knowledge, targets, flags)
        const note = await noteOnServing('knowledge')
        if (note !== undefined) process.stderr.write(`${note}\n`)
        if (flags.watch) await watch(knowledge, targets, flags)
      } finally {
        await knowledge.close()
      }
    })
}

async function ingestOnce(
  knowledge: KnowledgeCommands,
  targets: readonly string[],
  flags: IngestFlags,
): Promise<number> {
  const { collection, type, tier, depth, include, exclude } = flags
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop)
  const result = await knowledge
    .ingest(
      targets,
      { collection, documentType: type, authorityTier: tier, depth, include, exclude },
      { onProgress: showProgress, signal: stopped.signal },
    )
    .finally(() => process.off('SIGINT', stop))
  clearLine()
  const failed = printResult(result, flags)
  if (!stopped.signal.aborted) return failed > 0 ? 1 : 0
  process.stderr.write('Stopped; run the same command again to continue from here.\n')
  return 130
}

/** Returns how many documents failed. */
function printResult(
  { outcomes, skipped, removed }: JobResult,
  { json }: Pick<IngestFlags, 'json'>,
): number {
  for (const { location, status, title, chunks, words, error } of outcomes) {
    const failure = error && { error: error.message, suggestion: error.suggestion }
    if (json) printLine({ location, status, title, chunks, words, ...failure })
    else if (status !== 'unchanged')
      process.stderr.write(`${status.padEnd(9)} ${location} ${describeOutcome(chunks, error)}\n`)
  }
  for (const { location, title } of removed) {
    if (json) printLine({ location, status: 'removed', title })
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

/** Draws a progress bar on a terminal, and nothing elsewhere. */
function showProgress({ done, total, current, pages }: JobProgress): void {
  if (!process.stderr.isTTY) return
  const width = 24
  const share = pages ? pages.read / pages.total : 0
  const filled = Math.round((Math.min(done + share, total) / Math.max(total, 1)) * width)
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled)
  const page = pages ? ` page ${pages.read}/${pages.total}` : ''
  const what = visible(current.slice(-40))
  drawingOn(process.stderr).write(`\r\u001b[K${bar} ${done}/${total} ${what}${page}`)
}

function clearLine(): void {
  if (process.stderr.isTTY) drawingOn(process.stderr).write('\r\u001b[K')
}

/** Ingests again after changes, checked every two seconds; unchanged files are not stored again. */
async function watch(
  knowledge: KnowledgeCommands,
  targets: readonly string[],
  flags: IngestFlags,
): Promise<void> {
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
    if (!stopped.signal.aborted && (await changed())) await ingestOnce(knowledge, targets, flags)
  }
}
