import { existsSync } from 'node:fs'
import type { TempFolder } from './temp-folder.ts'

const VARIABLES = {
  GATEWAY_MCP_CONFIG: '.mcp.json',
  GATEWAY_RULES: '.mcp-gateway-rules.json',
  PORTOLAN_CONFIG: 'portolan.yaml',
}

/**
 * Names the configuration files in a folder, so that files of a test count as trusted. Named files
 * would override a configuration in the database, so then none are named.
 */
export function namedFiles(
  folder: TempFolder,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (env['PORTOLAN_CONFIG_SOURCE'] === 'database') return {}
  return Object.fromEntries(
    Object.entries(VARIABLES)
      .map(([variable, name]) => [variable, folder.file(name)] as const)
      .filter(([, file]) => existsSync(file)),
  )
}
