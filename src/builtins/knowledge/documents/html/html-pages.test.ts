import { expect, it } from 'vitest'
import { blockText } from '../document.ts'
import { readDocument } from '../read-document.ts'

async function blocksOf(html: string) {
  const { blocks } = await readDocument({ name: 'page.html', bytes: Buffer.from(html) })
  return blocks
}

async function textOf(html: string): Promise<string> {
  return (await blocksOf(html)).map(blockText).join('\n')
}

function link(sign: string): string {
  return `<a class="headerlink" href="#x" title="Link">${sign}</a>`
}

it('reads headings and terms without the signs of their permanent links', async () => {
  const html = `<h1>One${link('¶')}</h1><h2>Two ${link('#')}</h2><h3>${link('\u200B')}<a href="#t">C#</a></h3>
    <dl><dt>push(item)${link('¶')}</dt><dd>Pushes.</dd></dl><p>See ${link('§')}and <a href="/c">#</a></p>`
  expect(await textOf(html)).toBe('One\nTwo\nC#\npush(item)\n: Pushes.\nSee and #')
})

it('keeps code, tables and headings that stand in lists and definitions', async () => {
  const html = `<ol start="3"><li><p>Install it:</p><pre>a\n  b</pre><p>Then go on.</p></li><li>Start it</li></ol>
    <dl><dt>merge()</dt><dd><p>Merges:</p><pre>x\ny</pre><dl><dt>key</dt><dd>Of each.</dd></dl></dd>
    <dt>table()</dt><dd><table><tr><th>a</th></tr><tr><td>1</td></tr></table></dd></dl>`
  expect(await blocksOf(html)).toEqual([
    { kind: 'list', items: ['3. Install it:'] },
    { kind: 'code', text: 'a\n  b' },
    { kind: 'paragraph', text: 'Then go on.' },
    { kind: 'list', items: ['4. Start it'] },
    { kind: 'list', items: ['merge()', ': Merges:'] },
    { kind: 'code', text: 'x\ny' },
    { kind: 'list', items: ['key', ': Of each.'] },
    { kind: 'list', items: ['table()'] },
    { kind: 'table', header: ['a'], rows: [['1']] },
  ])
})

it('reads a table of one row that holds code or headings as the layout it is', async () => {
  const html = `<table><tr><td><pre>1\n2</pre></td><td><pre>if x:\n  y</pre></td></tr></table>
    <table><tr><td><pre>a\nb</pre></td></tr><tr><td>c</td></tr></table>`
  expect(await blocksOf(html)).toEqual([
    { kind: 'code', text: '1\n2' },
    { kind: 'code', text: 'if x:\n  y' },
    { kind: 'table', header: [], rows: [['a b'], ['c']] },
  ])
})

it('leaves out menus, however they are marked, and keeps the asides of the text', async () => {
  const page = `<nav>n1</nav><div role="navigation">n2</div><form>f1</form><aside>a1</aside><footer>f2</footer>`
  expect(await textOf(`${page}<p>words</p>`)).toBe('words')
  expect(await textOf(`${page}<section><aside>note</aside><p>words</p></section>`)).toBe(
    'note\nwords',
  )
  const main = `<div role="main"><div role="search">n3</div><p>words</p><aside>note</aside><footer>by me</footer></div>`
  expect(await textOf(`${page}<p>outside</p>${main}`)).toBe('words\nnote\nby me')
})

it('leaves out the links around a page of DocBook, Doxygen or Texinfo', async () => {
  const next = '<a rel="next" href="b.html">CREATE GROUP</a>'
  const page = `<div class="navheader"><table><tr><td>Prev</td><td>${next}</td></tr></table></div>
    <div id="p" class="header nav-panel">Next: ${next}</div><div class="header"><p>Next: ${next}</p></div>
    <div class="header">A header of <a href="c.html">its own</a></div><p class="navvy">words</p>
    <div class="navpath"><ul><li>std</li></ul></div><hr><div class="navfooter">Home</div>`
  expect(await textOf(page)).toBe('A header of its own\nwords')
})

it('reads every article of a page, and a page that is nothing but a form', async () => {
  expect(await textOf('<article>one</article><article>two</article>')).toBe('one\ntwo')
  expect(await textOf('<p>outside</p><article>one</article>')).toBe('one')
  expect(await textOf('<form><p>words</p></form>')).toBe('words')
})

it('reads lists with code in time, however deep they are', async () => {
  const html = '<ul><li>x<pre>y</pre>'.repeat(2000)
  const before = process.cpuUsage()
  expect(await textOf(html)).toContain('y')
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000)
})

it.each([
  ['/docs/', 'https://x.org/docs/b'],
  ['https://y.org/', 'https://y.org/b'],
  ['http://', 'b'],
])('resolves links from the base %s that a page names', async (base, resolved) => {
  const bytes = Buffer.from(`<base href="${base}"><p>a <a href="b">b</a></p>`)
  const { links } = await readDocument({ name: 'https://x.org/a/page.html', bytes })
  expect(links).toEqual([resolved])
})
