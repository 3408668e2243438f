import { expect, it } from 'vitest'
import { titleFromName } from './title-from-name.ts'

it.each([
  ['docs/brake-control_2.md', 'brake control 2'],
  ['https://example.com/brake%20control/?page=1#top', 'brake control'],
  ['why C#?/C# guide.md', 'C# guide'],
  ['100% of brakes.csv', '100% of brakes'],
  ['brakes%ff.csv', 'brakes%ff'],
])('makes a title from %s', (name, title) => {
  expect(titleFromName(name)).toBe(title)
})
