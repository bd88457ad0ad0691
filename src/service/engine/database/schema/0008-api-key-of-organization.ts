/** A decision about an API key finds the keys of its organization without reading those of others. */
export const apiKeyOfOrganization: readonly string[] = [
  'create index api_key_of_organization on api_key (organization_id, created_at, id)',
]
