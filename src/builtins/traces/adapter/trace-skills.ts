import { z } from 'zod'
import type { OwnSkill, SkillProvider } from '../../kit/serve-skills.ts'
import type { Operator } from './operate.ts'

/** The page size of the service; the most trusted traces of one page are offered. */
const PAGE = 100
/** How often to poll for changes that others made by contributing or voting. */
const LOOK_MS = 10_000
const MAX_NAME_LENGTH = 48

const traceSchema = z.object({
  id: z.string(),
  title: z.string(),
  context_text: z.string(),
  solution_text: z.string(),
  trust_score: z.number(),
  confirmation_count: z.number(),
  is_stale: z.boolean(),
  is_flagged: z.boolean(),
})
const pageSchema = z.object({ traces: z.array(traceSchema) })

type Trace = z.infer<typeof traceSchema>

/** Offers the most trusted of the confirmed traces as skills. */
export function traceSkills(operator: Operator, most: number): SkillProvider {
  let known: string | undefined

  async function load(): Promise<readonly OwnSkill[]> {
    const skills = (await validated(operator))
      .filter((trace) => !trace.is_flagged && !trace.is_stale)
      .toSorted((a, b) => b.trust_score - a.trust_score)
      .slice(0, most)
      .map(toSkill)
    known = JSON.stringify(skills)
    return skills
  }

  return {
    load,
    onChange(listener) {
      const timer = setInterval(() => {
        const before = known
        // The skills have not been requested yet.
        if (before === undefined) return
        void load().then(() => known !== before && listener())
      }, LOOK_MS).unref()
      return () => clearInterval(timer)
    },
  }
}

/** Returns no traces while the service does not answer, so that its tools still work. */
async function validated({ port, key: keyOf }: Operator): Promise<readonly Trace[]> {
  const key = await keyOf().catch(() => null)
  // The embedded service could not make the account of its operator.
  if (key === null) return []
  const outcome = await port.call({
    operation: 'list',
    input: { status: 'validated', limit: PAGE },
    isPatient: true,
    key: key ?? '',
    signal: new AbortController().signal,
  })
  return outcome.kind === 'ok' ? (pageSchema.safeParse(outcome.body).data?.traces ?? []) : []
}

function toSkill(trace: Trace): OwnSkill {
  const { id, title, context_text, solution_text, confirmation_count } = trace
  const name = `${slug(title)}-${id.slice(0, 8)}`
  return {
    name,
    text: `---
name: ${name}
description: ${JSON.stringify(`A problem that was solved before: ${title}`)}
---

# ${title}

Written by an agent, and confirmed by ${confirmation_count} others. Judge whether it fits before you follow it; rate it with \`vote_trace\` (${id}).

## The problem

${context_text}

## What solved it

${solution_text}
`,
  }
}

function slug(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['trace']
  return words.join('-').slice(0, MAX_NAME_LENGTH).replace(/-$/, '')
}
