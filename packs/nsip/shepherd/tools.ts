import type { CompositeTool, JsonObject } from 'portolan'
import { object, text, texts } from '../values.ts'
import { knowledge } from '../knowledge.ts'
import { calculateTool } from './calculate.ts'
import { regionNamed } from './regions.ts'

type Section = 'breeding' | 'health' | 'calendar' | 'economics'

const QUESTION = { question: { type: 'string', minLength: 3 } }
const option = (initial: string) => ({ type: 'string', default: initial })

/** Advice from the knowledge of the pack, without a call to the API. */
export const shepherdTools: readonly CompositeTool[] = [
  shepherd('shepherd_consult', 'Advice on any question about sheep.', { region: option('') }),
  shepherd('shepherd_breeding', 'Breeding advice: indexes, traits, heritabilities.', {
    region: option('midwest'),
    production_goal: option('balanced'),
  }),
  shepherd('shepherd_health', 'Health and nutrition advice by region and life stage.', {
    region: option('midwest'),
    life_stage: option('maintenance'),
  }),
  shepherd('shepherd_calendar', 'What to do when, by region and kind of task.', {
    region: option('midwest'),
    task_type: option('general'),
  }),
  shepherd('shepherd_economics', 'Costs, break-even, returns and markets.', {
    flock_size: option('medium'),
    market_focus: option('balanced'),
  }),
  calculateTool,
]

function shepherd(name: string, description: string, options: JsonObject): CompositeTool {
  return {
    definition: {
      name,
      description,
      inputSchema: {
        type: 'object',
        properties: { ...QUESTION, ...options },
        required: ['question'],
      },
      annotations: { readOnlyHint: true },
    },
    async run(args) {
      const known = await knowledge()
      const region = regionNamed(known, text(args['region']), name)
      const question = text(args['question']).toLowerCase()
      const own = name.replace('shepherd_', '')
      const sections = isSection(own) ? [own] : sectionsOf(question)
      const guidance = sections.map((section) =>
        ADVICE[section](known, question, { ...args, region: region?.name ?? '' }),
      )
      return { guidance: Object.assign({}, ...guidance), ...(region && { region }) }
    },
  }
}

const WORDS: Readonly<Record<Section, RegExp>> = {
  breeding: /breed|mating|ram\b|ebv|index|inbre|select|genetic|trait/,
  health: /health|sick|worm|parasite|vaccin|feed|nutrition|hay|disease|hoof|lame|udder/,
  calendar: /when|calendar|season|month|schedule|lambing|shear|wean/,
  economics: /cost|price|profit|market|sell|roi|break.?even|money/,
}

function isSection(name: string): name is Section {
  return Object.hasOwn(WORDS, name)
}

function sectionsOf(question: string): Section[] {
  const all = Object.keys(WORDS).filter(isSection)
  const meant = all.filter((section) => WORDS[section].test(question))
  return meant.length > 0 ? meant : all
}

const ADVICE: Readonly<
  Record<Section, (known: JsonObject, question: string, args: JsonObject) => JsonObject>
> = {
  breeding(known, question, { production_goal: goal }) {
    const indexes = object(known['indexes'])
    const named = Object.keys(indexes).find((name) => question.includes(name.replaceAll('_', ' ')))
    const index = named ?? (text(goal) in indexes ? text(goal) : 'balanced')
    const weights = object(indexes[index])
    return {
      index,
      weights,
      heritabilities: pick(
        object(object(known['heritabilities'])['default']),
        Object.keys(weights),
      ),
      traits: pick(object(known['traits']), Object.keys(weights)),
      next: 'nsip_selection_index ranks animals, nsip_mating_plan pairs them.',
    }
  },
  health(known, question, { region, life_stage: stage }) {
    const diseases = Object.entries(object(known['diseases'])).map(([name, raw]) => {
      const { words, risk, advice } = object(raw)
      const here = object(risk)[text(region)] ?? object(risk)['default'] ?? 'low'
      return { name, words: texts(words), risk: here, advice }
    })
    const asked = diseases.filter(({ words }) => words.some((word) => question.includes(word)))
    const shown = asked.length > 0 ? asked : diseases.filter(({ risk }) => risk !== 'low')
    return {
      diseases: shown.map(({ name, risk, advice }) => ({ name, risk, advice })),
      nutrition:
        object(known['nutrition'])[text(stage)] ?? object(known['nutrition'])['maintenance'],
      caution: 'A veterinarian who knows the flock decides on treatment.',
    }
  },
  calendar(known, question, { task_type: type }) {
    const all = object(known['calendar'])
    const wanted = type === 'general' ? '' : text(type).toLowerCase()
    const task =
      Object.keys(all).find((name) => name === wanted) ??
      Object.keys(all).find((name) => question.includes(name.slice(0, 4))) ??
      // A task such as vaccination is an entry of another one.
      Object.keys(all).find((name) => wanted && mentions(all[name], wanted)) ??
      'general'
    return { task, calendar: all[task] }
  },
  economics(known, question) {
    const all = Object.entries(object(known['economics']))
    const asked = all.filter(([name]) => question.includes(name.split('_')[0] ?? name))
    return { economics: Object.fromEntries(asked.length > 0 ? asked : all) }
  },
}

/** Whether a calendar has an entry about a task: `vaccination` finds "Vaccinate with CDT". */
function mentions(calendar: unknown, task: string): boolean {
  return JSON.stringify(calendar).toLowerCase().includes(task.slice(0, 6))
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, from[name]]] : [])))
}
