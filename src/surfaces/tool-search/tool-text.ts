import { isObject } from '../../base/json/json.ts'
import type { Tool } from '../../gateway/upstream.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import { everydayWordsOf } from './everyday-words.ts'
import { purposeOf } from './product-purposes.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

/** A description begins with what the tool does; later examples and warnings blur its vector. */
const MAX_ABOUT_LENGTH = 400
const MAX_PARAMETERS = 100
const MAX_PARAMETER_LENGTH = 120

/** Returns the name as words, so that n-grams stay within words and vectors know them. */
export function nameInWords(tool: Pick<Tool, 'name' | 'definition'>): string {
  return inWords(shownName(tool))
}

export function aboutOf({ definition: { title, description } }: Tool): string {
  return [title, description].filter((text) => typeof text === 'string').join('. ')
}

/** Returns the names and descriptions of its parameters. */
export function parametersOf({ definition }: Tool): string {
  return propertiesOf(definition['inputSchema'])
}

export type WeightedText = readonly [text: string, weight: number]

/** Returns the texts whose vectors, weighted and added, are the vector of a tool. */
export function meaningTexts(tool: Tool): WeightedText[] {
  const takes = propertiesOf(tool.definition['inputSchema'], inWords)
  const gives = propertiesOf(tool.definition['outputSchema'], inWords)
  const name = nameInWords(tool)
  return [
    ...wholeText(tool),
    [name, 0.3],
    [everydayWordsOf(name), 0.3],
    [takes, 0.25],
    [purposeOf(tool.server), 0.2],
    [gives, 0.1],
  ]
}

/** Returns all that describes a tool: its own words, and everyday words for technical ones. */
export function plainText(tool: Tool): string {
  const own = wholeText(tool).map(([text]) => text)
  return [...own, everydayWordsOf(nameInWords(tool)), purposeOf(tool.server)].join(' ')
}

/** Returns what a tool is about, without what it merely mentions. */
export function subjectText(tool: Tool): string {
  const { title, description } = tool.definition
  const name = nameInWords(tool)
  const own = [title, firstSentence(description).slice(0, MAX_ABOUT_LENGTH)].filter(
    (text) => typeof text === 'string',
  )
  return [name, everydayWordsOf(name), tool.server, purposeOf(tool.server), ...own].join(' ')
}

export function firstSentence(description: unknown): string {
  if (typeof description !== 'string') return ''
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s|\n/, 1)
  return sentence
}

/** Returns one text, for a model that costs time or money. */
export function wholeText(tool: Tool): WeightedText[] {
  const whole = `${nameInWords(tool)} (${tool.server}): ${aboutOf(tool)}`
  return [[whole.slice(0, MAX_ABOUT_LENGTH), 1]]
}

function inWords(key: string): string {
  return splitIdentifier(key).join(' ')
}

function propertiesOf(schema: unknown, toWords: (key: string) => string = (key) => key): string {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties)
    .slice(0, MAX_PARAMETERS)
    .map(([name, property]) => {
      const text = isObject(property) ? property['description'] : undefined
      return typeof text === 'string'
        ? `${toWords(name)} ${text.slice(0, MAX_PARAMETER_LENGTH)}`
        : toWords(name)
    })
    .join(' ')
}
