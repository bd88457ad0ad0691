import type { Requester } from '../../../contract/approval-content.ts'

interface Content {
  readonly id: string
  readonly domain: { readonly id: string; readonly name: string }
  readonly requester: Requester
  readonly title: string
  readonly details: readonly { readonly label: string; readonly value: string }[]
  readonly needed: number
  readonly createdAt: number
  readonly expiresAt: number
}

/** Serializes what people see and sign, once: devices and proofs carry this text. */
export function serializeContent({ id, domain, details, ...content }: Content): string {
  const { requester, title, needed, createdAt, expiresAt } = content
  const app = { id: domain.id, name: domain.name }
  return JSON.stringify({ approval: id, app, requester, title, details, needed, createdAt, expiresAt })
}
