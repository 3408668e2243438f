import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { VERSION } from '../../../../base/version.ts'
import type { Environment } from '../../../../base/environment.ts'
import { detectProject, projectRoot } from '../detect-project.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { Pending, deliveryText } from '../memory/pending.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 90
const SHOWN_AGAIN = 3

const NOTICE =
  'Portolan traces: hooks are on. They search traces when a session starts, a command fails or a new file begins, and ask before sharing what was solved. Commands and output are redacted before they leave. Settings: portolan traces admin hooks. Remove: portolan connect claude-code --undo.'

/** Tells the agent, before the first prompt, what others have learnt about similar projects. */
export async function atSessionStart(
  { cwd }: HookInput,
  context: HookContext,
): Promise<HookAnswer> {
  const { log, memory, now } = context
  await Promise.all([memory.forgetOld(now), log.forgetBefore(now - KEPT_DAYS * DAY_MS)])
  // Each is caught separately, so that one failure does not suppress the others.
  const [found, used, waiting, ...messages] = await Promise.all(
    [
      searchProject(cwd, context),
      usedBefore(cwd, context),
      deliverPending(context),
      notice(context),
      update(context),
    ].map(async (part) => part.catch(() => undefined)),
  )
  return {
    context: joined([found, used, waiting]),
    message: joined(messages),
  }
}

async function searchProject(cwd: string, { search }: HookContext): Promise<string | undefined> {
  const { language, framework } = await detectProject(cwd)
  if (language === undefined) return undefined
  const subject = framework === undefined ? language : `${language} ${framework}`
  const { text } = await search({
    q: `${subject} common patterns and solutions`,
    tags: [language],
    context: { language, ...(framework !== undefined && { framework }) },
  })
  return text === '' ? undefined : `Traces that may help in this ${subject} project.\n${text}`
}

async function usedBefore(cwd: string, { memory }: HookContext): Promise<string | undefined> {
  const project = projectRoot(cwd)
  const bad = new Set((await memory.of('downvoted')).map(({ trace_id }) => trace_id))
  const used = (await memory.of('used')).filter(
    (line) => line.project === project && !bad.has(line.trace_id),
  )
  const latest = [...new Map(used.map((line) => [line.trace_id, line.title]))].slice(-SHOWN_AGAIN)
  if (latest.length === 0) return undefined
  return `Traces used in this project before: ${latest.map(([id, title]) => `"${title}" (${id})`).join(', ')}`
}

async function deliverPending({ home, request }: HookContext): Promise<string | undefined> {
  const pending = new Pending(home)
  if ((await pending.names()).length === 0) return undefined
  const delivery = await pending
    .deliver(async (trace) => request('POST', '/traces', trace))
    .catch(async () => ({
      delivered: 0,
      refused: 0,
      waiting: (await pending.names()).length,
      reason: 'nothing, it cannot be reached',
    }))
  return deliveryText(delivery)
}

async function notice({ memory }: HookContext): Promise<string | undefined> {
  return (await memory.isNew('notice', '1')) ? NOTICE : undefined
}

async function update({
  env,
  home,
  config,
  memory,
  now,
}: HookContext): Promise<string | undefined> {
  const isDue = config.update_check && (await memory.isNew('update-check', dayOf(now)))
  return isDue ? checkForUpdate(VERSION, env, home) : undefined
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter(Boolean).join('\n\n') || undefined
}

const DEADLINE_MS = 4_000

/**
 * Returns a message if npm would install a newer version; nothing if npm fails. npm runs in our own
 * folder: in that of a project, an `.npmrc` could send variables of the environment anywhere.
 */
async function checkForUpdate(
  current: string,
  env: Environment,
  home: string,
): Promise<string | undefined> {
  const asked = promisify(execFile)('npm', ['view', 'portolan', 'version'], {
    env: { ...env, npm_config_fetch_retries: '0', npm_config_update_notifier: 'false' },
    timeout: DEADLINE_MS,
    cwd: home,
  })
  const version = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => current,
  )
  return isNewer(version, current)
    ? `Portolan ${version} is out; this is ${current}. Update: npm install -g portolan`
    : undefined
}

function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}
