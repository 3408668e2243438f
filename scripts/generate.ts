import { mkdirSync, writeFileSync } from 'node:fs'
import { cliReference } from './cli-reference.ts'
import { clientsReference } from './clients-reference.ts'
import { configReference } from './config-reference.ts'
import { configSchemas } from './config-schemas.ts'
import { errorsReference } from './errors-reference.ts'
import { metricsReference } from './metrics-reference.ts'
import { toolsReference } from './tools-reference.ts'

const ROOT = new URL('../', import.meta.url)

mkdirSync(new URL('assets/schemas/', ROOT), { recursive: true })
mkdirSync(new URL('docs/reference/', ROOT), { recursive: true })
for (const [name, schema] of Object.entries(configSchemas())) {
  writeFileSync(new URL(`assets/schemas/${name}`, ROOT), `${JSON.stringify(schema, null, 2)}\n`)
}
writeFileSync(new URL('docs/reference/config.md', ROOT), configReference())
writeFileSync(new URL('docs/reference/errors.md', ROOT), errorsReference())
writeFileSync(new URL('docs/reference/clients.md', ROOT), clientsReference())
writeFileSync(new URL('docs/reference/tools.md', ROOT), await toolsReference())
writeFileSync(new URL('docs/reference/cli.md', ROOT), await cliReference())
writeFileSync(new URL('docs/reference/metrics.md', ROOT), await metricsReference())
