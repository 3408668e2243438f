import { expect, it } from 'vitest'
import { readContent, readLineage } from './read-lineage.ts'

it('reads every label of the HTML, in any markup', () => {
  const html =
    '<div><b>Hill &amp; Dale&#39;s</b></div><p>US Index: 104.5</p><br/>SRC$ Index: 99' +
    '<div>DOB: 2/5/2020</div><div>Sex: Female</div><span>Status: SOLD</span>'
  expect(readContent(html)).toEqual({
    farm_name: "Hill & Dale's",
    us_index: 104.5,
    src_index: 99,
    date_of_birth: '2/5/2020',
    sex: 'Female',
    status: 'SOLD',
  })
})

it('leaves out what the HTML does not say', () => {
  expect(readContent('<div>US Hair Index: N/A</div>')).toEqual({})
  expect(readContent('')).toEqual({})
})

it('keeps an ancestor that appears twice on both ways', () => {
  const common = { lpnId: 'GRANDSIRE', content: '' }
  const lineage = readLineage({
    lpnId: 'LAMB',
    children: [
      { lpnId: 'SIRE', children: [common, null] },
      { lpnId: 'DAM', children: [common] },
    ],
  })
  expect(lineage).toMatchObject({
    sire: { sire: { lpn_id: 'GRANDSIRE' } },
    dam: { sire: { lpn_id: 'GRANDSIRE' } },
    generations: [
      ['SIRE', 'DAM'],
      ['GRANDSIRE', 'GRANDSIRE'],
    ],
  })
})

it.each([undefined, null, '', {}, { success: false, data: null }])(
  'knows no animal in %o',
  (value) => {
    expect(readLineage(value)).toBeUndefined()
  },
)
