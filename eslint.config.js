import globals from 'globals';
import tseslint from 'typescript-eslint';
import vue from 'eslint-plugin-vue';
import rooms from './build/lint/rooms.js';
import layers from './build/lint/layers.js';
import openSources from './build/lint/open-sources.js';
import userPatterns from './build/lint/user-patterns.js';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'proto/gen/',
      'src-main/apis/gen/',
      'node_modules/',
      'native/build/',
      'e2e/screenshots/',
      'e2e/bench/out/',
      'test-results/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.vue'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { armature: { rules: { layers, rooms, 'open-sources': openSources, 'user-patterns': userPatterns } } },
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.node.json', './tsconfig.web.json', './build/tsconfig.json'],
        extraFileExtensions: ['.vue'],
      },
    },
    rules: {
      'armature/layers': 'error',
      'armature/rooms': 'error',
      'armature/open-sources': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: ['**/*.vue'],
    extends: [vue.configs['flat/recommended']],
    languageOptions: { parserOptions: { parser: tseslint.parser }, globals: globals.browser },
    rules: {
      'vue/html-self-closing': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
    },
  },
  {
    files: ['src-main/**/*.{ts,vue}', 'src-renderer/**/*.{ts,vue}', 'proto/config/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'armature/user-patterns': 'error' },
  },
  {
    // Tests run our sources; the programs are built without these methods.
    files: ['src-main/**/*.ts', 'src-renderer/**/*.{ts,vue}'],
    ignores: ['**/*.test.ts', '**/*.fixture.ts', '**/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { property: 'fromPartial', message: 'The build leaves it out (build/lean-messages.ts): write all fields.' },
      ],
    },
  },
  { files: ['build/lint/open-sources.test.ts'], rules: { 'armature/open-sources': 'off' } },
  { files: ['**/*.test.ts', 'e2e/**/*.ts'], rules: { '@typescript-eslint/unbound-method': 'off' } },
  {
    // node:test waits for its tests itself.
    files: ['**/*.hw.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'before', 'after'] }] },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: globals.node },
  },
);
