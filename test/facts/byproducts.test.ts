import { expect, test } from 'vitest'
import { byproductRole } from '../../src/facts/byproducts.ts'

test.each([
  ['node_modules/react/index.js', 'vendored'],
  ['vendor/jquery/jquery.js', 'vendored'],
  ['.npm/_npx/d2bd3cb5801d0b99/package.json', 'vendored'],
  ['.pnpm-store/v10/files/01/index.js', 'vendored'],
  ['.npm/notes.js', undefined],
  ['src/vendor/lib.ts', 'vendored'],
  ['app/assets/vendor/chart.js', 'vendored'],
  ['app/api/vendor/orders/route.ts', undefined],
  ['src/pages/vendor/Dashboard.jsx', undefined],
  ['src/components/vendor/forms/ProductForm.tsx', undefined],
  ['dist/server.js', 'generated'],
  ['src/dist/table.ts', undefined],
  ['coverage/lcov-report/sorter.js', 'generated'],
  ['app/api/coverage/route.ts', undefined],
  ['public/shop/assets/index-C4GaTMg2.js', 'generated'],
  ['public/assets/index-zio-xvvX.js', 'generated'],
  ['client/public/assets/phaser-DmxLZ8Fm.js', 'generated'],
  ['public/assets/app-2024-new.js', undefined],
  ['public/assets/user-settings.js', undefined],
  ['public/assets/admin-UserForm.js', undefined],
  ['public/sw.js', undefined],
  ['src/assets/index-C4GaTMg2.js', undefined],
])('%s is %s', (path, role) => {
  expect(byproductRole(path)).toBe(role)
})
