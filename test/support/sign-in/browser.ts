/** A minimal browser with cookies, redirects and forms. */
export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>()

  /** Follows redirects until there is a page, or an address outside `within`. */
  async open(
    address: string,
    within: string | readonly string[],
    init: RequestInit = {},
  ): Promise<Page> {
    const origins = [within].flat().map((each) => new URL(each).origin)
    let url = new URL(address)
    let request: RequestInit = init
    for (let hop = 0; hop < 12; hop++) {
      if (!origins.includes(url.origin)) return { url, status: 0, text: '', headers: new Headers() }
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: { ...Object.fromEntries(new Headers(request.headers)), cookie: this.#send(url) },
      })
      this.#keep(response.headers.getSetCookie(), url)
      const location = response.headers.get('location')
      const text = await response.text()
      if (location === null)
        return { url, status: response.status, text, headers: response.headers }
      url = new URL(location, url)
      request = {}
    }
    throw new Error(`${url.href} redirects for ever`)
  }

  /** Submits the form of a page with its token and these fields, as a click on a button does. */
  async submit(page: Page, fields: Record<string, string | readonly string[]>): Promise<Page> {
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const body = new URLSearchParams({ token })
    for (const [name, value] of Object.entries(fields))
      for (const one of typeof value === 'string' ? [value] : value) body.append(name, one)
    return this.open(page.url.href, page.url.origin, {
      method: 'POST',
      body,
      headers: { origin: page.url.origin },
    })
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies].find(([key]) => key.startsWith(`${name} `))?.[1].value
  }

  #send(url: URL): string {
    return [...this.#cookies]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
  }

  #keep(lines: readonly string[], url: URL): void {
    for (const line of lines) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? url.pathname
      const isOver = /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)
      const key = `${pair.slice(0, at)} ${path}`
      if (isOver) this.#cookies.delete(key)
      else this.#cookies.set(key, { value: pair.slice(at + 1), path })
    }
  }
}

export interface Page {
  readonly url: URL
  readonly status: number
  readonly text: string
  readonly headers: Headers
}
