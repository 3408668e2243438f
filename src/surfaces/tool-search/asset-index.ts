import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Catalog } from '../../gateway/catalog.ts'
import type { Listing, Tool } from '../../gateway/upstream.ts'
import { APP_PAGE } from '../../protocol/extensions.ts'
import { defineAnalyser } from '../../search/analyse/analyser.ts'
import { STOP_WORDS } from '../../search/analyse/stop-words.ts'
import { aboutOf as aboutText } from './tool-text.ts'
import { ToolWords } from './tool-words.ts'

/** A resource, a resource template or a prompt, as `find_tools` shows it beside tools. */
export interface Asset {
  readonly kind: 'resource' | 'template' | 'prompt'
  readonly server: string
  /** The arguments of `execute_tool` for it. */
  readonly call: string
  readonly about: string
}

export interface AssetSearch {
  readonly limit: number
  readonly accept: (server: string) => boolean
}

/** An asset with at most this share of the words of a request matches only by coincidence. */
const MIN_SHARED = 0.5
const analyser = defineAnalyser({ identifiers: true, stem: true, stopWords: STOP_WORDS })
/** Bounds the time to read a listing; what comes after is listed, but not found. */
const MAX_PER_SERVER = 2_000
const MAX_ABOUT_LENGTH = 140

/** Finds resources and prompts by words, apart from tools, so that they never take their places. */
export class AssetIndex {
  readonly #words = new ToolWords()
  readonly #assets = new Map<string, Asset>()
  readonly #terms = new Map<string, ReadonlySet<string>>()
  readonly #seen = new Map<string, Listing>()

  /** Updates the index to the listings of these servers; unchanged listings are not read again. */
  update(catalog: Catalog): void {
    const names = new Set(catalog.servers.map(({ name }) => name))
    for (const server of this.#seen.keys()) if (!names.has(server)) this.#remove(server)
    for (const { name, listing } of catalog.servers) {
      if (this.#seen.get(name) === listing) continue
      this.#remove(name)
      this.#seen.set(name, listing)
      for (const [at, [asset, text]] of assetsOf(name, listing).entries()) {
        const id = `${name}\n${at}`
        this.#assets.set(id, asset)
        this.#terms.set(id, new Set(termsOf(`${text.name} ${aboutText(text)} ${name}`)))
        this.#words.set(id, text)
      }
    }
  }

  /** Returns the best for each request in turn, up to the limit. */
  search(requests: readonly string[], { limit, accept }: AssetSearch): Asset[] {
    const lists = requests.map((request) => this.#ranked(request, accept))
    const found = new Set<Asset>()
    for (let place = 0; place < limit; place += 1)
      for (const list of lists) {
        const asset = list[place]
        if (asset && found.size < limit) found.add(asset)
      }
    return [...found]
  }

  #ranked(request: string, accept: AssetSearch['accept']): Asset[] {
    const wanted = new Set(termsOf(request))
    const hits = this.#words.search(request, {
      accept: (id) => accept(this.#assets.get(id)?.server ?? ''),
    })
    return [...hits]
      .filter(([id]) => this.#shared(wanted, id) > MIN_SHARED)
      .toSorted(([, one], [, other]) => other.score - one.score)
      .flatMap(([id]) => this.#assets.get(id) ?? [])
  }

  /** Returns the share of a request's words that a text has. */
  #shared(wanted: ReadonlySet<string>, id: string): number {
    const terms = this.#terms.get(id)
    return [...wanted].filter((term) => terms?.has(term)).length / wanted.size
  }

  #remove(server: string): void {
    this.#seen.delete(server)
    for (const [id, asset] of this.#assets)
      if (asset.server === server) {
        this.#assets.delete(id)
        this.#terms.delete(id)
        this.#words.delete(id)
      }
  }
}

/** Creates the index of a catalog, updated on use. */
export function createAssetIndex(catalog: Catalog): () => AssetIndex {
  const index = new AssetIndex()
  return () => {
    index.update(catalog)
    return index
  }
}

/** Lists the assets of a server; pages are for hosts, and skills have their own index. */
function assetsOf(server: string, listing: Listing): (readonly [Asset, Tool])[] {
  const resources = listing.resources
    .filter(({ mimeType, uri }) => mimeType !== APP_PAGE && !String(uri).startsWith('skill:'))
    .map((one) => toResource(server, one, one['uri'], 'resource'))
  const templates = listing.resourceTemplates.map((one) =>
    toResource(server, one, one['uriTemplate'], 'template'),
  )
  const prompts = listing.prompts.map((one) => toPrompt(server, one))
  return [...prompts, ...templates, ...resources].slice(0, MAX_PER_SERVER)
}

function toResource(
  server: string,
  one: JsonObject,
  uri: unknown,
  kind: 'resource' | 'template',
): readonly [Asset, Tool] {
  const call = `resources/read(uri: ${JSON.stringify(uri)})`
  return [{ kind, server, call, about: aboutOf(one) }, toText(server, one, {})]
}

function toPrompt(server: string, prompt: JsonObject): readonly [Asset, Tool] {
  const given = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : []
  const names = given.map(({ name, required }) => `${String(name)}${required === true ? '' : '?'}`)
  const takes = names.length > 0 ? `, arguments: {${names.join(', ')}}` : ''
  const call = `prompts/get(name: ${JSON.stringify(prompt['name'])}${takes})`
  const properties = Object.fromEntries(given.map((one) => [String(one['name']), one]))
  return [
    { kind: 'prompt', server, call, about: aboutOf(prompt) },
    toText(server, prompt, properties),
  ]
}

/** Returns the text by which an asset is found. */
function toText(server: string, one: JsonObject, properties: JsonObject): Tool {
  const definition = { ...one, inputSchema: { properties } }
  return { server, name: String(one['name'] ?? one['uri']), definition, readOnly: true }
}

function termsOf(text: string): string[] {
  return analyser.words(text).flatMap((word) => analyser.terms(word))
}

function aboutOf({ title, description, name }: JsonObject): string {
  const texts = [description, title, name].filter((text) => typeof text === 'string')
  const about = texts.find((text) => text !== '') ?? ''
  return about.length > MAX_ABOUT_LENGTH ? `${about.slice(0, MAX_ABOUT_LENGTH)}…` : about
}
