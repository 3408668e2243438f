import { defineBuiltin } from '../kit/define-builtin.ts'
import { CODE_SETTINGS } from './settings.ts'

export const code = defineBuiltin({
  name: 'code',
  title: 'Code search over the project.',
  description: 'Search, symbols and dependencies of the project you work in',
  // Behind the gateway; whoever runs it alone instead of CocoSearch gets what that does.
  defaults: { autoIndex: true },
  settings: CODE_SETTINGS,
  async open({ home, env, options, project, dashboardUrl, embedding }) {
    const { createCodeService } = await import('./create-code-service.ts')
    const autoIndex = options['autoIndex'] === true || undefined
    return createCodeService({
      home,
      env: { ...env },
      autoIndex,
      project: project(),
      dashboardUrl,
      embedding: embedding(),
    })
  },
  standalone: {
    port: 'MCP_PORT or PORTOLAN_CODE_MCP_PORT, else 3000',
    defaults: async (env) => (await import('./mcp-defaults.ts')).codeMcpDefaults(env),
    replaces: {
      name: 'CocoSearch',
      names: async (env) => (await import('./project/environment.ts')).namesRead(env),
      notes: async (env) => {
        const { fromCocoSearch } = await import('./cocosearch-names.ts')
        const { unusedVariables } = await import('./project/environment.ts')
        return unusedVariables({ ...env, ...fromCocoSearch(env) }, 'the data folder')
      },
    },
    describe: ({ home }) => `keeps its indexes in ${home}`,
  },
  page: '/code',
})
