import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const MARK = '<img src=x onerror=alert(1)>'

/** Markup in names, descriptions, errors and addresses must not reach a page as markup. */
export const pages: Attack = {
  name: 'markup in the dashboard',
  async run(field) {
    const rig = await Rig.open({
      servers: { evil: { ...hostile(), description: MARK } },
      rules: { agents: { ada: { allow: { servers: ['*'] } } } },
    })
    await rig.call('evil__echo', { text: MARK }, { agent: 'ada' })
    await rig.call(MARK, {}, { agent: 'ada' })
    const addresses = [
      '/',
      '/servers/evil',
      `/servers/${encodeURIComponent(MARK)}`,
      `/agents/${encodeURIComponent('"><svg onload=alert(1)>')}`,
      `/calls?text=${encodeURIComponent(MARK)}`,
      '/audit',
      '/config',
      `/${encodeURIComponent(MARK)}`,
      '/api/dashboard/overview',
      '/api/dashboard/servers',
      '/api/dashboard/servers/evil',
      `/api/dashboard/servers/${encodeURIComponent(MARK)}`,
      '/api/dashboard/agents',
      '/api/dashboard/calls',
      '/api/dashboard/audit',
      '/api/dashboard/config',
      `/api/dashboard/${encodeURIComponent(MARK)}`,
      `/${encodeURIComponent('</script><script>alert(1)</script>')}`,
    ]
    for (const path of addresses) {
      const answer = await fetch(`${rig.url}${path}`)
      const text = await answer.text()
      const type = answer.headers.get('content-type') ?? ''
      await field.try(`${path} shows no markup of others`, () =>
        type.includes('html') ? !/onerror=alert|onload=alert|<script>alert/.test(text) : true,
      )
      await field.try(`${path} is not guessed to be a page`, () =>
        type.includes('html')
          ? /script-src|default-src/.test(answer.headers.get('content-security-policy') ?? '')
          : /json|plain|javascript/.test(type),
      )
      await field.try(`${path} cannot be framed`, () =>
        type.includes('html')
          ? /frame-ancestors/.test(answer.headers.get('content-security-policy') ?? '') ||
            answer.headers.has('x-frame-options')
          : true,
      )
    }
    await rig.discard()
  },
}
