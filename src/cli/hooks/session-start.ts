import { detectProject } from './detect-project.ts'
import type { HookContext, HookInput } from './run-hook.ts'

/** What others have learnt about projects like this one, before the first question. */
export async function atSessionStart(
  { cwd }: HookInput,
  { search }: HookContext,
): Promise<string | undefined> {
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
