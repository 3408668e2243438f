import type { Saved } from './recap.ts'

/** The approximate width of a letter in 11 px Verdana. */
const LETTER = 6.6
const PAD = 10
const HEIGHT = 20

/** Draws a README badge with two fields: the label and the savings. */
export function badgeSvg({ tokens, minutes }: Saved): string {
  const [label, value] = ['saved by traces', `${short(tokens)} tokens, ${minutes} min`]
  const left = Math.round(label.length * LETTER + PAD)
  const right = Math.round(value.length * LETTER + PAD)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${label}: ${value}">`,
    `<rect width="${left}" height="${HEIGHT}" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="#0a6e6e"/>`,
    '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">',
    `<text x="${left / 2}" y="14">${label}</text>`,
    `<text x="${left + right / 2}" y="14">${value}</text>`,
    '</g></svg>',
  ].join('')
}

function short(count: number): string {
  return Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count)
}
