import type { ServiceContext } from '../../src/protocol/service.ts'

export function aContext(overrides: Partial<ServiceContext> = {}): ServiceContext {
  return {
    signal: new AbortController().signal,
    agent: 'ada',
    isRemote: false,
    headers: {},
    project: async () => ({ path: '/', source: 'cwd' }),
    progress: () => {},
    ...overrides,
  }
}
