import { dashboardOf } from '../dashboard/dashboard-client.ts'
import { Browser, type Page } from './browser.ts'

export const DASHBOARD_SIGN_IN = '/oauth/sign-in/dashboard'

/** A person who signs in to the dashboard with a browser, and then calls its API. */
export class DashboardPerson {
  readonly browser = new Browser()
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  async open(): Promise<Page> {
    return this.browser.open(`${this.#origin}${DASHBOARD_SIGN_IN}`, this.#origin)
  }

  async byPassword(user: string, password: string): Promise<this> {
    return this.#arrived(
      await this.browser.submit(await this.open(), { action: 'password', user, password }),
    )
  }

  async byKey(key: string): Promise<this> {
    return this.#arrived(await this.browser.submit(await this.open(), { action: 'key', key }))
  }

  async atProvider(issuer: string): Promise<this> {
    const address = `${this.#origin}${DASHBOARD_SIGN_IN}/provider`
    return this.#arrived(await this.browser.open(address, [this.#origin, issuer]))
  }

  /** The session cookie of the browser. */
  get session(): string | undefined {
    return this.browser.cookie('portolan_key')
  }

  get ask() {
    return dashboardOf(this.#origin, { cookie: `portolan_key=${this.session ?? ''}` })
  }

  #arrived({ url, status, text }: Page): this {
    if (url.pathname !== '/' || this.session === undefined)
      throw new Error(`Not signed in: ${status} at ${url.href}\n${text}`)
    return this
  }
}
