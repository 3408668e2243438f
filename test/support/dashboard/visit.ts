import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { launchChromium } from '../chromium.ts'
import type { Later, TempFolder } from '../temp-folder.ts'
import { type PageOptions, openPage } from './a-page.ts'
import { localPass } from './local-pass.ts'

/** A browser may have to be installed first, and the screenshots need minutes of calls. */
const START_MS = 600_000

/** Opens tabs on the gateway of a test file. */
export type Visit = <T>(
  path: string,
  look: (page: Page) => Promise<T>,
  options?: PageOptions,
) => Promise<T>

interface Visited {
  readonly url: string
  readonly folder?: TempFolder
}

interface Site<Gateway> {
  readonly gateway: Gateway
  readonly browser: Browser
  /** As somebody who can only read, unless a page of the gateway signs them in. */
  readonly visit: Visit
  /** By a link of `portolan dashboard`. */
  readonly visitAsOwner: Visit
}

/** One browser and one gateway for all tests of a file; read them only within tests. */
export function useSite<Gateway extends Visited>(
  start: (later: Later) => Promise<Gateway>,
): () => Site<Gateway> {
  const undo: (() => void | Promise<void>)[] = []
  let site: Site<Gateway> | undefined

  beforeAll(async () => {
    const [browser, gateway] = await Promise.all([
      launchChromium(),
      start((step) => void undo.push(step)),
    ])
    undo.push(async () => browser.close())
    site = {
      gateway,
      browser,
      visit: visitor(browser, gateway),
      visitAsOwner: visitor(browser, gateway, gateway.folder),
    }
  }, START_MS)
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })
  return () => {
    if (site === undefined) throw new Error('The gateway of this file did not start')
    return site
  }
}

/** Also fails if the page logs errors in the console. */
function visitor(browser: Browser, { url }: Visited, folder?: TempFolder): Visit {
  return async (path, look, options = {}) => {
    const { page, complaints, close } = await openPage(browser, options)
    const link = folder ? `#open=${localPass(folder.file('data'), url, 'link')}` : ''
    try {
      await page.goto(url + path + link)
      const seen = await look(page)
      expect(complaints).toEqual([])
      return seen
    } finally {
      await close()
    }
  }
}
