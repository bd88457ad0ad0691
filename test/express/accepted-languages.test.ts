import express from 'express'
import { array, assert, constantFrom, option, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'

import { acceptedTags, preferredTag } from '../../src/ground/accepted-languages.ts'

const tags = ['en', 'de', 'fr-CA', 'pt', 'ja', 'ar']
const range = tuple(
  constantFrom('en', 'en-GB', 'de', 'DE-at', 'fr', 'fr-CA', 'pt-BR', 'ja', 'zh-Hant-TW', 'x', '*', ''),
  constantFrom('', ';q=0', ';q=0.1', ';q=0.5', ';q=0.9', ';q=1', ';a=b;q=0.2'),
).map(([tag, weight]) => tag + weight)

it('a page chooses among its languages as Express does, for any Accept-Language', () => {
  assert(
    property(option(array(range, { maxLength: 6 }), { nil: undefined }), (ranges) => {
      const header = ranges?.join(', ')
      const req = Object.assign(Object.create(express.request) as express.Request, {
        headers: { 'accept-language': header },
      })

      expect(preferredTag(header, tags) ?? false).toBe(req.acceptsLanguages(tags))
      expect(acceptedTags(header)).toEqual(req.acceptsLanguages())
    }),
  )
})

it('a weight counts with spaces before it, which RFC 9110 allows', () => {
  expect(preferredTag('de ; q=0.5, fr; q=0.9', ['de', 'fr'])).toBe('fr')
})
