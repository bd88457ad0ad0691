import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

import {
  isArrayLiteralExpression,
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isCaseClause,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isStringLiteral,
  isSwitchStatement,
} from 'typescript/unstable/ast/is'
import type { Node } from 'typescript/unstable/ast'
import { SymbolFlags, TypeFlags } from 'typescript/unstable/sync'
import type { Checker, Type } from 'typescript/unstable/sync'

import { Factor } from '../../src/contract/factor.ts'
import { isSent, sentFactors } from '../../src/contract/factor-descriptions.ts'
import { withSources } from './compiler.ts'

/** An object by all factors of a kind is exhaustive. */
const kinds = [sentFactors, Factor.options.filter((factor) => !isSent(factor))]

const factors: ReadonlySet<string> = new Set(Factor.options)

const namesFactor = new RegExp(String.raw`(?<!\.)\b(${Factor.options.join('|')})\b`)

/**
 * Where the sources decide by the name of a factor: comparisons, cases, `includes`, arrays, and objects that the types allow to lack
 * one. By type, so that a word that means something else does not count. Exhaustive records are left out: the compiler names them.
 * @returns one line for each place, with the file and the code.
 */
export const factorDecisions = (root: string): string[] =>
  withSources(root, ({ checker, program, rootFiles }) => {
    const decides = createDecides(checker)
    const decisions: string[] = []
    // The compiler sends each file that is looked at: a file without the name of a factor decides nothing by it.
    for (const name of rootFiles.filter((file) => namesFactor.test(readFileSync(file, 'utf8')))) {
      const path = relative(root, name).replaceAll('\\', '/')
      const visit = (node: Node): void => {
        if (decides(node)) decisions.push(`${path}: ${node.getText().replaceAll(/\s+/g, ' ')}`)
        node.forEachChild(visit)
      }
      const file = program.getSourceFile(name)
      if (!file) throw new Error(`The compiler does not read ${name}.`)
      visit(file)
    }
    return decisions.toSorted()
  })

/** @returns whether the node itself decides by the name of a factor. */
function createDecides(checker: Checker): (node: Node) => boolean {
  const partsOf = (type: Type | undefined) => (type?.isUnionType() ? type.getTypes() : type ? [type] : [])
  const isFactor = (type: Type) => type.isStringLiteralType() && factors.has(type.value)
  /** Other members of a union, such as `''` for none, do not change what a comparison with a factor means. */
  const hasFactors = (type: Type | undefined): boolean => partsOf(type).filter(isFactor).length > 1
  const isFactorType = (type: Type | undefined): boolean => {
    const types = partsOf(type).filter(({ flags }) => (flags & (TypeFlags.Null | TypeFlags.Undefined)) === 0)
    return types.length > 1 && types.every(isFactor)
  }
  const elementOf = (type: Type | undefined): Type | undefined => {
    const present = type && checker.getNonNullableType(type)
    const indexes = present ? checker.getIndexInfosOfType(present) : []
    return indexes.find(({ keyType }) => (keyType.flags & TypeFlags.Number) !== 0)?.valueType
  }
  const hasAll = (type: Type, names: readonly Factor[]): boolean =>
    names.every((name) => {
      const property = checker.getPropertyOfType(type, name)
      return property !== undefined && (property.flags & SymbolFlags.Optional) === 0
    })
  const hasNone = (type: Type, names: readonly Factor[]): boolean =>
    names.every((name) => checker.getPropertyOfType(type, name) === undefined)

  return (node) => {
    if (isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText())) {
      return isNamed(node.right) && hasFactors(checker.getTypeAtLocation(node.left))
    }
    if (isCaseClause(node)) {
      const statement = node.parent.parent
      const decided = isSwitchStatement(statement) && isNamed(node.expression)
      return decided && hasFactors(checker.getTypeAtLocation(statement.expression))
    }
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression
      const asks = ['includes', 'indexOf', 'has'].includes(name.text) && node.arguments.some(isNamed)
      return asks && isFactorType(elementOf(checker.getTypeAtLocation(expression)))
    }
    if (isArrayLiteralExpression(node)) {
      if (isAsExpression(node.parent) && node.elements.length > 0 && node.elements.every(isNamed)) return true
      return node.elements.some(isNamed) && isFactorType(elementOf(checker.getContextualType(node)))
    }
    if (isObjectLiteralExpression(node)) {
      // Looked at first, because the type of an argument is slow to find. An object of factors has no other members.
      const names = node.properties.flatMap((each) => (isSpreadAssignment(each) ? [] : [each.name.getText()]))
      if (names.length === 0 || !names.every((name) => factors.has(name))) return false
      const type = checker.getContextualType(node)
      const properties = type ? checker.getPropertiesOfType(type) : []
      const ofFactors = properties.length > 1 && properties.every(({ name }) => factors.has(name))
      return type !== undefined && ofFactors && !kinds.every((kind) => hasAll(type, kind) || hasNone(type, kind))
    }
    return false
  }
}

const isNamed = (node: Node): boolean => isStringLiteral(node) && factors.has(node.text)
