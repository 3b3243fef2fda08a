import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { createTexts } from '../text.ts';
import PartsPage from './PartsPage.vue';

createApp(PartsPage).use(createTexts()).use(createPinia()).mount('#app');
