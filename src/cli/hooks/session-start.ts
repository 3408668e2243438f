import { detectProject } from './detect-project.ts'
import type { HookContext, HookInput } from './run-hook.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 90

/** What others have learnt about projects like this one, before the first question. */
export async function atSessionStart(
  { cwd }: HookInput,
  { search, state, report, now }: HookContext,
): Promise<string | undefined> {
  await state.forgetBefore(now - KEPT_DAYS * DAY_MS)
  if (await state.isFirstOn(Math.floor(now / DAY_MS))) await report('/telemetry/ping', {})
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
