import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import { createApp } from 'vue';
import { createTexts } from '../text.ts';
import PartsPage from './PartsPage.vue';

createApp(PartsPage).use(createTexts()).mount('#app');
