import { describe, expect, it } from 'vitest'
import { codeMcpDefaults } from './mcp-defaults.ts'

describe('what code search serves by default', () => {
  it.each([
    [{}, '3000'],
    [{ PORTOLAN_CODE_MCP_PORT: '3100' }, '3100'],
    [{ PORTOLAN_CODE_MCP_PORT: '3100', MCP_PORT: '3200' }, '3200'],
  ])('with %j the port %s', (env, port) => {
    expect(codeMcpDefaults(env).env['MCP_PORT']).toBe(port)
  })

  it.each([
    [undefined, 1_800_000],
    ['2.5', 2_500],
    ['0', undefined],
  ])('with an idle timeout of %s, %s ms', (text, expected) => {
    expect(codeMcpDefaults({ PORTOLAN_CODE_IDLE_TIMEOUT: text }).idleMs).toBe(expected)
  })

  it.each([
    [{}, undefined],
    [{ PORTOLAN_CODE_DASHBOARD_PORT: '8123' }, 8123],
    [{ PORTOLAN_CODE_DASHBOARD_PORT: '8123', PORTOLAN_CODE_NO_DASHBOARD: '1' }, false],
  ])('with %j the pages on %s', (env, port) => {
    expect(codeMcpDefaults(env).dashboardPort).toBe(port)
  })

  it('says what a port has to be', () => {
    expect(() => codeMcpDefaults({ PORTOLAN_CODE_DASHBOARD_PORT: 'any' })).toThrow(
      "PORTOLAN_CODE_DASHBOARD_PORT must be a port, not 'any'",
    )
  })

  it('says what an idle timeout has to be', () => {
    expect(() => codeMcpDefaults({ PORTOLAN_CODE_IDLE_TIMEOUT: 'soon' })).toThrow(
      "PORTOLAN_CODE_IDLE_TIMEOUT must be a number of seconds, not 'soon'",
    )
  })
})
