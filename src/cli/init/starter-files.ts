import { VERSION } from '../../base/version.ts'

/** One agent, for callers that name none: it may use everything but what deletes. */
export function starterRules(): string {
  const rules = {
    agents: {
      default: { allow: { servers: ['*'] }, deny: { effects: ['delete'] } },
    },
    defaults: { deny_on_missing_agent: false },
  }
  return `${JSON.stringify(rules, null, 2)}\n`
}

export function starterSettings(): string {
  return `# yaml-language-server: $schema=https://unpkg.com/portolan@${VERSION}/schemas/portolan.schema.json
# Everything here is optional; lines with a # show the default.

# The servers that come with Portolan, beside those of .mcp.json.
builtins:
  code: true
  knowledge: true
  traces: true

# What agents see: discover (a few tools to find the others), direct (every tool), or auto.
# surface: discover

# The most tokens that one result may have. By default there is no limit.
# budgets:
#   maxTokens: 4000

# Where \`portolan serve\` listens. Off 127.0.0.1, agents need keys: portolan keys create <agent>
# listen:
#   host: 127.0.0.1
#   port: 7411
`
}

export function starterServers(): string {
  return '{\n  "mcpServers": {}\n}\n'
}
