import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { execute } from '../support/clients/talk.ts'
import { startBusyGateway } from '../support/dashboard/busy-gateway.ts'
import { useSite } from '../support/dashboard/visit.ts'

const site = useSite(startBusyGateway)

/** The text of the first row of a table that contains `name`. */
async function row(page: Page, name: string): Promise<string> {
  return page.locator('tbody tr', { hasText: name }).first().innerText()
}

async function shows(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('main').getByText(text).first().waitFor()
}

describe('the overview', () => {
  it('tells calls, latencies, savings, cache hits and health of a gateway that was used', async () => {
    await site().visit('/', async (page) => {
      await shows(page, 'Throughput')
      const calls = await page.locator('[data-figure="calls"]').innerText()
      expect(Number(calls.replace(',', ''))).toBeGreaterThan(25)
      await page.getByRole('img', { name: /Calls over time: \d+ calls/ }).waitFor()
      await page.getByRole('img', { name: /median [\d.]+ m?s, 95th percentile/ }).waitFor()
      const saved = await page
        .getByRole('img', { name: /^Tokens saved/ })
        .getAttribute('aria-label')
      expect(saved).toMatch(/[1-9][\d,]* by discovery, [1-9][\d,]* by budgets/)
      await shows(page, 'Server "broken" is down')
      await page.getByRole('img', { name: /Servers: .*1 down/ }).waitFor()
      expect(await row(page, 'files/echo')).toMatch(/\d+/)
    })
  })

  it('follows calls without being reloaded, and shows another span when asked', async () => {
    const { gateway, visit } = site()
    await visit('/', async (page) => {
      const figure = page.locator('[data-figure="calls"]')
      const before = Number(await figure.innerText())
      await execute(gateway.ada, 'files', 'echo', { text: 'one more' })
      await expect.poll(async () => Number(await figure.innerText())).toBeGreaterThan(before)
      await shows(page, 'calls per 20 min')
      await page.getByRole('button', { name: '7 days' }).click()
      await shows(page, 'calls per 3 h')
      expect(page.url()).toContain('range=7d')
      expect(Number(await figure.innerText())).toBeGreaterThan(before)
    })
  })
})

describe('live calls', () => {
  it('appear as they are made', async () => {
    const { gateway, visit } = site()
    await visit('/calls', async (page) => {
      await page.getByRole('row', { name: /echo/ }).first().waitFor()
      const mark = `dummy_${Math.floor(Math.random() * 20)}`
      const shown = page.getByRole('row', { name: new RegExp(`files / ${mark}\\b`) }).first()
      expect(await shown.count()).toBe(0)
      const called = execute(gateway.ada, 'files', mark).then(() => performance.now())
      await shown.waitFor()
      const seenAt = performance.now()
      expect(seenAt - (await called)).toBeLessThan(10_000)
    })
  })

  it('can be held still, filtered, and looked into', async () => {
    const { gateway, visit } = site()
    await visit('/calls', async (page) => {
      await page.getByRole('button', { name: 'Denied' }).click()
      await page.getByRole('row', { name: /crash/ }).first().click()
      const details = page.getByRole('dialog')
      await details.getByText('agents.grace.deny.tools.files[0]').first().waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'All' }).click()
      await page.getByRole('button', { name: 'Pause' }).click()
      const rows = page.getByRole('grid')
      const before = await rows.getAttribute('aria-rowcount')
      await execute(gateway.ada, 'files', 'echo', { text: 'unseen' })
      await page.locator('[data-live-count="1"]').waitFor()
      expect(await rows.getAttribute('aria-rowcount')).toBe(before)
    })
  })
})

describe('one call', () => {
  it('shows its arguments and result once they are kept, and has an address of its own', async () => {
    const { gateway, visitAsOwner } = site()
    await visitAsOwner('/calls', async (page) => {
      const details = page.getByRole('dialog')
      const open = async (tool: string) =>
        page
          .getByRole('row', { name: new RegExp(`files / ${tool}\\b`) })
          .first()
          .click()
      const keep = page.getByRole('switch', { name: 'Keep arguments and results' })
      await keep.uncheck()
      await execute(gateway.ada, 'files', 'dummy_22')
      await open('dummy_22')
      await details.getByText('were not kept').waitFor()
      await page.keyboard.press('Escape')

      await keep.check()
      await page.getByText('in memory only').waitFor()
      await execute(gateway.ada, 'files', 'dummy_23', { collection: 'kettles' })
      await open('dummy_23')
      await details.getByLabel('Arguments').getByText('kettles').waitFor()
      await details.getByLabel('Result, as the agent got it').getByText('dummy 23').waitFor()
      await details.getByText(/^portolan call --url \S+ files__dummy_23/).waitFor()
      await page.reload()
      await details.getByLabel('Arguments').getByText('kettles').waitFor()
      expect(new URL(page.url()).searchParams.get('call')).toMatch(/\S/)
      await page.keyboard.press('Escape')
      await keep.uncheck()
      await page.getByText('Off: a call shows').waitFor()
    })
  })
})

describe('servers', () => {
  it('show state, breaker, restarts, tools and what they cost', async () => {
    await site().visit('/servers', async (page) => {
      await shows(page, /6 servers, \d+ tools: [\d,]+ tokens/)
      expect(await row(page, 'files')).toMatch(/stdio\s+Ready\s+Sent\s+0\s+45\s+[\d,]{4,}/)
      expect(await row(page, 'broken')).toMatch(/Down[\s\S]*exited with code 3/)
      await page.getByRole('link', { name: 'files' }).click()
      const details = page.getByRole('dialog')
      await details.getByRole('button', { name: 'Tools (45)' }).click()
      await details.getByText('echo', { exact: true }).waitFor()
      expect(await details.locator('tr', { hasText: 'big' }).first().innerText()).toMatch(/500/)
    })
  })
})

describe('agents', () => {
  it('show what each may call, and by which rule', async () => {
    await site().visit('/agents', async (page) => {
      const cell = page.getByRole('button', { name: /^grace on files: 43\/45 tools/ })
      await page.getByRole('button', { name: 'reader on files: nothing' }).waitFor()
      await cell.click()
      const details = page.getByRole('dialog')
      await details.getByText('43 of 45 tools allowed').waitFor()
      const crash = details.locator('tr', { hasText: 'crash' })
      expect(await crash.innerText()).toMatch(/No\s+agents\.grace\.deny\.tools\.files\[0\]/)
    })
  })
})

describe('the playground', () => {
  it('answers what if, by the rules in force and by edited ones, and applies nothing', async () => {
    const { gateway, visit } = site()
    await visit('/playground', async (page) => {
      await shows(page, 'Name an agent and a server')
      await page.getByLabel('Agent').fill('grace')
      await page.getByLabel('calls server').fill('files')
      await page.getByLabel('tool').fill('crash')
      const verdict = page.locator('[data-verdict]')
      await page.locator('[data-verdict="deny"]').waitFor()
      expect(await verdict.innerText()).toContain('agents.grace.deny.tools.files[0]')
      await page.getByRole('button', { name: 'Edit a copy' }).click()
      const editor = page.getByLabel('Edited rules, as JSON')
      const rules = await editor.inputValue()
      await editor.fill(rules.replace('"crash"', '"nothing_else"'))
      await page.locator('[data-verdict="allow"]').waitFor()
      expect(await verdict.innerText()).toMatch(/in force say denied/)
      await editor.fill('{"agents": 3}')
      await page.locator('[data-verdict="invalid"]').waitFor()
      await editor.fill('{')
      await page.getByText('Not JSON yet').waitFor()
    })
    expect(gateway.folder.read('.mcp-gateway-rules.json')).toContain('crash')
  })
})

describe('the audit log', () => {
  it('is searched by text and by filters, which stay in the address', async () => {
    await site().visit('/audit', async (page) => {
      await page.getByRole('row', { name: /echo/ }).first().waitFor()
      await page.getByLabel('Decision').selectOption('DENY')
      await expect.poll(async () => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3')
      await page.getByLabel('Search the audit log').fill('CRASH')
      await expect.poll(async () => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2')
      expect(page.url()).toContain('decision=DENY')
      await page.reload()
      await page.getByRole('row', { name: /crash/ }).waitFor()
      await page.getByLabel('Search the audit log').fill('no such thing at all')
      await shows(page, 'No entry matches')
    })
  })
})

describe('the configuration', () => {
  it('shows files and settings, and a reload as soon as a file changes', async () => {
    const { gateway, visitAsOwner } = site()
    await visitAsOwner('/config', async (page) => {
      await shows(page, /portolan\.yaml/)
      expect(await row(page, 'breaker.failures')).toMatch(/2\s*$/)
      const rules = gateway.folder.read('.mcp-gateway-rules.json')
      gateway.folder.write(
        '.mcp-gateway-rules.json',
        rules.replace('"agents":{', '"agents":{"zoe":{},'),
      )
      await shows(page, /Applied/)
      await shows(page, /zoe/)
      gateway.folder.write('.mcp-gateway-rules.json', '{"agents": 3}')
      await shows(page, /Refused|Partly/)
      await shows(page, 'Last good one in force')
      gateway.folder.write('.mcp-gateway-rules.json', rules)
      await page.getByRole('button', { name: 'Reload now' }).click()
      await page
        .getByText(/Reload: |Configuration reloaded: /)
        .first()
        .waitFor()
    })
  })
})

describe('whoever has no session', () => {
  it('reads everything and is told how to get one, instead of buttons that are refused', async () => {
    const { visit } = site()
    await visit('/config', async (page) => {
      await shows(page, /portolan\.yaml/)
      await page.getByText('To change something, open this page with').waitFor()
      await page.locator('.who', { hasText: 'Read-only' }).waitFor()
      expect(await page.getByRole('button', { name: 'Reload now' }).count()).toBe(0)
    })
  })

  it('gets one by the link of `portolan dashboard`, which leaves no trace in the address', async () => {
    await site().visitAsOwner('/config?x=1', async (page) => {
      await page.getByRole('button', { name: 'Reload now' }).waitFor()
      expect(new URL(page.url())).toMatchObject({ hash: '', search: '?x=1' })
      await page.reload()
      await page.getByRole('button', { name: 'Reload now' }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.locator('.who', { hasText: 'Read-only' }).waitFor()
    })
  })
})

// Last, because it changes the configuration that all of these look at.
describe('servers that are looked after', () => {
  it('are switched off and on, and show their state on a phone', async () => {
    await site().visitAsOwner('/servers', async (page) => {
      await page.setViewportSize({ width: 390, height: 844 })
      const state = page.locator('tbody tr', { hasText: 'weather' }).getByText('Ready')
      expect((await state.boundingBox())?.x).toBeLessThan(390)
      await page.getByRole('link', { name: 'weather' }).click()
      const details = page.getByRole('dialog')
      await details.getByRole('button', { name: 'Disable' }).click()
      await details.getByText('Disabled', { exact: true }).waitFor()
      await details.getByRole('button', { name: 'Enable' }).click()
      await details.getByRole('button', { name: 'Disable' }).waitFor()
    })
  })
})
