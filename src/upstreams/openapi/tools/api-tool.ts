import type { JsonObject } from '../../../base/json/json.ts'
import type { Omission, ParameterPlace, PartEncoding, SecurityScheme } from '../spec/operation.ts'
import type { Method } from '../http/methods.ts'
import type { XmlNames } from '../spec/xml-names.ts'

/** A tool and the HTTP call behind it. Plain data: this is what the import cache keeps on disk. */
export interface ApiTool {
  readonly definition: JsonObject & { readonly name: string }
  readonly plan: CallPlan
}

export interface CallPlan {
  readonly operation: string
  readonly method: Method
  readonly path: string
  readonly server: string | undefined
  readonly parameters: readonly PlannedParameter[]
  readonly body: PlannedBody | undefined
  /** The content types the description promises; empty when it says nothing. */
  readonly answers: readonly string[]
  /** The headers that the description promises, in lower case. */
  readonly answerHeaders: readonly string[]
  /** Safe to send twice. */
  readonly readOnly: boolean
  /** Names of security schemes, any one of which suffices. */
  readonly security: readonly string[]
  /** The description says that this call takes no credentials. */
  readonly open: boolean
}

/** How a body is written: `file` is raw bytes. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'xml' | 'text' | 'file'

export interface PlannedParameter extends ParameterPlace {
  /** The argument of the tool that fills it. */
  readonly argument: string
  readonly required: boolean
  readonly default?: unknown
}

export interface PlannedBody {
  readonly argument: string
  readonly contentType: string
  readonly kind: BodyKind
  /** The names in an XML body, where they differ from those of the JSON. */
  readonly xml?: XmlNames
  readonly required: boolean
  readonly encoding: Readonly<Record<string, PartEncoding>>
  readonly default?: unknown
}

export interface ImportReport {
  readonly title: string
  readonly dialect: string
  readonly operations: number
  readonly tools: number
  readonly dropped: readonly Omission[]
  readonly renamed: readonly { readonly from: string; readonly to: string; readonly why: string }[]
  /** Tools whose schema was cut to a bounded depth. */
  readonly shortened: readonly string[]
}

export interface ImportedApi {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly servers: readonly string[]
  readonly security: Readonly<Record<string, SecurityScheme>>
  readonly tools: readonly ApiTool[]
  readonly report: ImportReport
}
