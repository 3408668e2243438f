/** A minimal browser: keeps cookies by host and follows redirects. */
export class LittleBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Every address it visited, in order. */
  readonly visited: string[] = []
  /** Its user, sent as `x-person` for test servers that need it. */
  readonly #person: string

  constructor(person = '') {
    this.#person = person
  }

  async open(address: string | URL, init: RequestInit = {}): Promise<Response> {
    let url = new URL(address)
    let request = init
    for (let hops = 0; hops < 20; hops += 1) {
      const response = await this.#send(url, request)
      const location = response.headers.get('location')
      if (location === null || response.status < 300 || response.status >= 400) return response
      await response.body?.cancel()
      url = new URL(location, url)
      request = {}
    }
    throw new Error('It was sent from page to page')
  }

  /** Sends one request and returns its redirect address, without following it. */
  async step(address: string | URL, init: RequestInit = {}): Promise<URL> {
    const response = await this.#send(new URL(address), init)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`)
    return new URL(location, address)
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    this.visited.push(url.href)
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>()
    this.#cookies.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        ...(cookie && { cookie }),
        ...(this.#person && { 'x-person': this.#person }),
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const isGone = /max-age=0|expires=thu, 01 jan 1970/i.test(line)
      if (isGone) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
}
