import type { Catalog } from '../../gateway/catalog.ts'
import type { Tool } from '../../gateway/upstream.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { defineAnalyser } from '../../search/analyse/analyser.ts'
import { STOP_WORDS } from '../../search/analyse/stop-words.ts'
import { validSkills } from '../assets/skills.ts'
import { type ToolIndex, createListingIndex, inTurn } from './tool-index.ts'

/** The most skills: they are long and would cost more than the tools an agent asked for. */
const MAX_SKILLS = 2
const MAX_ABOUT_LENGTH = 140

/** Creates the index of all skills, each found by name and description, as a tool is. */
export function createSkillIndex(catalog: Catalog): () => ToolIndex {
  return createListingIndex(catalog, (index) =>
    index.update(
      catalog.servers.flatMap(({ name, listing }) =>
        validSkills(listing).map((skill) => asTool(name, skill)),
      ),
    ),
  )
}

const tools = new WeakMap<JsonObject, Tool>()

/** Returns the same object for the same entry, so that the index need not read it again. */
function asTool(server: string, skill: JsonObject): Tool {
  const known = tools.get(skill)
  if (known) return known
  const { frontmatter, uri } = skill
  const { name, description } = isObject(frontmatter) ? frontmatter : {}
  const definition = { name, description, uri }
  const tool: Tool = { server, name: pathOf(String(uri)), definition, readOnly: true }
  tools.set(skill, tool)
  return tool
}

/** Returns the folders of a skill: two skills of a server may have one name. */
function pathOf(uri: string): string {
  return uri.replace(/^[a-z][a-z\d+.-]*:(?:\/\/[^/]*)?\/?/i, '').replace(/\/SKILL\.md$/, '')
}

const analyser = defineAnalyser({ stem: true, stopWords: new Set(STOP_WORDS) })
/** There are too few skills to weigh words by rarity: one with most of the words fits. */
const HELD = 0.5

function fits(request: string, { name, definition }: Tool): boolean {
  const asked = termsOf(request)
  const held = termsOf(`${name} ${String(definition['description'])}`)
  return asked.size > 0 && [...asked].filter((term) => held.has(term)).length / asked.size > HELD
}

function termsOf(text: string): Set<string> {
  return new Set(analyser.words(text.toLowerCase()).flatMap((word) => analyser.terms(word)))
}

/** Finds the skills that fit a request, each with the URI to read it by. */
export function findSkills(
  index: ToolIndex,
  requests: readonly string[],
  permits: (server: string) => boolean,
): JsonObject[] {
  if (index.size === 0) return []
  const accept = ({ server }: Tool) => permits(server)
  const found = requests.map((request) =>
    index.search(request, { limit: MAX_SKILLS, accept }).filter(({ tool }) => fits(request, tool)),
  )
  return inTurn(found, MAX_SKILLS).map(({ tool: { definition } }) => ({
    skill: definition['name'],
    about: String(definition['description']).slice(0, MAX_ABOUT_LENGTH),
    uri: definition['uri'],
  }))
}
