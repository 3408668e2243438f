import type { JsonObject } from '../../base/json/json.ts'
import { NO_CALLER } from '../../protocol/service.ts'
import { countTokens } from '../../shaping/tokens.ts'
import type { ApiConfigInput } from '../../upstreams/openapi/load/api-config.ts'
import type { ImportReport } from '../../upstreams/openapi/tools/api-tool.ts'
import { packFolderOf } from '../../config/trust/trust-of.ts'
import { loadApi } from '../../upstreams/openapi/load/load-api.ts'

export interface ApiInspection {
  readonly summary: ImportReport & { readonly tokens: number; readonly largest: readonly Cost[] }
  readonly text: string
}

interface Cost {
  readonly tool: string
  readonly tokens: number
}

const SHOWN = 12

/** Reports the tools made from a description, and their tokens when all are listed. */
export async function inspectApi(
  source: string,
  config: Partial<ApiConfigInput>,
  home?: string,
): Promise<ApiInspection> {
  // Nothing is called, so a description without a server can be inspected too.
  const service = await loadApi(source, {
    home,
    folder: packFolderOf({ cwd: process.cwd(), env: process.env }),
    config: { baseUrl: 'http://localhost', ...config },
  })
  try {
    const { tools } = await service.handle('tools/list', {}, NO_CALLER)
    const costs = (Array.isArray(tools) ? tools : []).map((tool: JsonObject) => ({
      tool: String(tool['name']),
      tokens: countTokens(JSON.stringify(tool)),
    }))
    const tokens = costs.reduce((sum, each) => sum + each.tokens, 0)
    const largest = costs.toSorted((a, b) => b.tokens - a.tokens).slice(0, 5)
    const summary = { ...service.report, tools: costs.length, tokens, largest }
    return { summary, text: describe(summary) }
  } finally {
    await service.close()
  }
}

function describe(summary: ApiInspection['summary']): string {
  const { title, dialect, operations, tools, tokens, dropped, renamed, shortened, largest } =
    summary
  return [
    `${title || 'Untitled'} (${dialect})`,
    `${operations} operations → ${tools} tools, ${tokens.toLocaleString('en')} tokens when all are listed`,
    `largest: ${largest.map((each) => `${each.tool} ${each.tokens}`).join(', ')}`,
    ...section('dropped', dropped, ({ where, why }) => `${where}: ${why}`),
    ...section('renamed', renamed, ({ from, to, why }) => `${from} → ${to}: ${why}`),
    ...section('shortened', shortened, (name) => `${name}: its schema was cut to a bounded depth`),
    '',
  ].join('\n')
}

function section<T>(title: string, items: readonly T[], line: (item: T) => string): string[] {
  if (items.length === 0) return []
  const more = items.length > SHOWN ? [`  … ${items.length - SHOWN} more (--json shows all)`] : []
  const shown = items.slice(0, SHOWN).map((item) => `  ${line(item)}`)
  return [`${title}: ${items.length}`, ...shown, ...more]
}
