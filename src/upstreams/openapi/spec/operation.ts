import type { JsonObject } from '../../../base/json/json.ts'
import type { Method } from '../http/methods.ts'
import type { XmlNames } from './xml-names.ts'

const STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  // Not part of OpenAPI 3: the `tsv` of Swagger 2.
  'tabDelimited',
  'deepObject',
] as const

export type ParameterStyle = (typeof STYLES)[number]

export function toStyle(value: unknown): ParameterStyle | undefined {
  return STYLES.find((style) => style === value)
}

/** Where a value is sent, and how arrays and objects are written there. */
export interface ParameterPlace {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly style: ParameterStyle
  readonly explode: boolean
  /** The value is one JSON document, whatever its type (`content` other than text). */
  readonly json: boolean
  /** Reserved characters (`:/?@!$'()*,;`) are not percent-encoded. */
  readonly allowReserved?: boolean | undefined
}

export interface Parameter extends ParameterPlace {
  readonly required: boolean
  readonly description: string
  readonly schema: JsonObject
}

/** How one property of a form body is written, where it is not the default. */
export interface PartEncoding {
  readonly style?: ParameterStyle
  readonly explode?: boolean
  readonly contentType?: string
  /** The part is a file: its bytes are sent, with a name and a type. */
  readonly file?: true
  /** The names in a part that is XML. */
  readonly xml?: XmlNames
}

export interface Body {
  readonly contentType: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonObject
  readonly encoding: Readonly<Record<string, PartEncoding>>
}

/** One operation of an API, in the same form for all dialects. Schemas still contain `$ref`s. */
export interface Operation {
  readonly id: string | undefined
  readonly method: Method
  readonly path: string
  /** Set if the path or the operation names its own server. */
  readonly server: string | undefined
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  readonly response: {
    readonly contentTypes: readonly string[]
    readonly schema: JsonObject
    /** Their names, in lower case. */
    readonly headers: readonly string[]
  }
  /** Names of security schemes, any one of which suffices; empty if the call is open. */
  readonly security: readonly string[]
  /** The operation itself says that it takes no credentials: `security: []`. */
  readonly open: boolean
}

/** A secret the API asks for, as its description declares it. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'oauth2'; readonly tokenUrl: string | undefined }
  | { readonly type: 'other' }

export interface Omission {
  /** `GET /pets/{id}`, or the place in the document. */
  readonly where: string
  readonly why: string
}

export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly dialect: string
  readonly servers: readonly string[]
  readonly security: Readonly<Record<string, SecurityScheme>>
  readonly operations: readonly Operation[]
  /** Parts of the description from which no tool can be made. */
  readonly dropped: readonly Omission[]
  /** The document that the `$ref`s of every schema point into. */
  readonly root: JsonObject
}
