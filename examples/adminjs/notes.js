/** Stands for a table of your database: notes, in memory. Your own comes from an adapter of AdminJS. */
import { BaseProperty, BaseRecord, BaseResource } from 'adminjs'

const columns = [new BaseProperty({ path: 'id', isId: true }), new BaseProperty({ path: 'text' })]

export class Notes extends BaseResource {
  #rows = new Map([['1', { id: '1', text: 'Water the plants' }]])

  static isAdapterFor = (resource) => resource instanceof Notes
  id = () => 'notes'
  databaseName = () => 'memory'
  properties = () => columns
  property = (path) => columns.find((column) => column.path() === path) ?? null
  count = async () => this.#rows.size
  find = async () => [...this.#rows.values()].map((row) => new BaseRecord(row, this))
  findMany = async (ids) => ids.map((id) => new BaseRecord(this.#rows.get(id), this))
  findOne = async (id) => (this.#rows.has(id) ? new BaseRecord(this.#rows.get(id), this) : null)
  create = async ({ text }) => this.update(crypto.randomUUID(), { text })
  delete = async (id) => this.#rows.delete(id)

  async update(id, { text }) {
    this.#rows.set(id, { id, text })
    return this.#rows.get(id)
  }
}
